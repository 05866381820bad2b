-- The Key of a remote subscription that is being replaced, and when the service removed it.

alter table plancast.subscriptions
  add column previous_sealed_key text,
  add column previous_removed_at timestamptz;
