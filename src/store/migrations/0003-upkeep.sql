-- For replaying dead letters and deleting old events.

alter table plancast.events add column replayed_at timestamptz;
-- Holds only rows that still have their details, so that an hourly check costs nothing when there is nothing to delete.
create index events_details on plancast.events (coalesce(posted_at, received_at))
  where state in ('posted', 'filtered') and notification is not null;
create index subscriptions_ended on plancast.subscriptions (ended_at) where state = 'ended';
create index audit_age on plancast.audit (at);
