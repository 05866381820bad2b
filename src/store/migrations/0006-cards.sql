-- Messages that are edited during a burst, how each event was posted, and the pace of whole workspaces. Also fewer indexes on pending
-- events, since each costs as much as the row itself when thousands arrive in a second.

alter table plancast.events
  -- What it waited for, if it is posted in a summary.
  alter column summary drop not null,
  alter column summary drop default,
  alter column summary type text using case when summary then 'paused' end,
  -- What it was posted as, if that is not clear from the notification.
  add column told jsonb;
alter table plancast.lanes
  drop column last_update_at,
  -- A post whose answer was not read; the bot looks for it before posting again.
  add column attempt jsonb;
create table plancast.paces (
  team_id text primary key,
  -- Channels that Slack throttled within a few seconds of each other.
  limited_channels text[] not null default '{}',
  limited_at timestamptz,
  -- No lane of the workspace posts before the first; all of them share a pace until the second.
  not_before timestamptz,
  crowded_until timestamptz,
  -- Posts and edits that can be made at once, and when that was counted.
  posts_left float8,
  posts_at timestamptz,
  updates_left float8,
  updates_at timestamptz
);
create index subscriptions_paused on plancast.subscriptions (reason) where state = 'paused';
drop index plancast.events_fingerprint, plancast.events_received;
create index events_told on plancast.events (team_id, channel_id, fingerprint, received_at)
  where state in ('posted', 'filtered');
-- Rows are stored in the order of their arrival, so the first and last time of each block are enough to find one.
create index events_received on plancast.events using brin (received_at);
