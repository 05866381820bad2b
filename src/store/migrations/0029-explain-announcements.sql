-- Stores which message announced what a member did. An entry of the audit log and its announcement are written in one transaction, whose
-- start they both keep; when the announcement is posted, the entry keeps the message. What was written before has neither.

alter table plancast.audit add column made_at timestamptz, add column message_ts text;
alter table plancast.audit alter column made_at set default transaction_timestamp();
alter table plancast.announcements add column made_at timestamptz;
alter table plancast.announcements alter column made_at set default transaction_timestamp();
create index audit_channel on plancast.audit (team_id, channel_id, made_at);
