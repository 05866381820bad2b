-- Updates that join an earlier message by an edit: which message shows an item, and until when an event waits for the edit.

alter table plancast.items add column message_ts text;
alter table plancast.events add column edit_at timestamptz;
