-- What Slack's events reported about each channel, and announcements of which only the newest is posted.

create table plancast.channels (
  enterprise_id text,
  team_id text not null,
  channel_id text not null,
  -- Each with the event_ts of the newest event that reported it: Slack does not guarantee their order.
  is_out boolean not null default false,
  out_ts numeric,
  is_archived boolean not null default false,
  archived_ts numeric,
  is_shared boolean not null default false,
  shared_ts numeric,
  -- Whether the channel was informed of what sharing changes, and whether a member chose to show everything.
  shared_told boolean not null default false,
  shows_all boolean not null default false,
  looked_at timestamptz,
  primary key (team_id, channel_id)
);
alter table plancast.announcements add column subject text;
create unique index announcements_subject on plancast.announcements (team_id, channel_id, subject)
  where subject is not null;
