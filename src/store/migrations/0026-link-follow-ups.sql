-- Remembers what is left to do after an attempt has made a link, in case that process dies.

alter table plancast.link_attempts add column receipt jsonb, add column follow_up_at timestamptz;
