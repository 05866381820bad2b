-- How badly the last turns of a lane went, and when a turn last settled events of it. With more setbacks, a turn takes fewer events.
alter table plancast.lanes add column setbacks smallint not null default 0;
alter table plancast.lanes add column moved_at timestamptz;
