-- Workspaces and organizations that removed the bot, so that any process can finish what another began.

create table plancast.departures (
  -- The workspace's id, or the organization's for one that removed an installation for all of its workspaces.
  id text primary key,
  enterprise_id text,
  cause text not null check (cause in ('uninstalled', 'access revoked')),
  -- By Slack's clock and by ours.
  left_at timestamptz not null,
  noted_at timestamptz not null,
  confirmed_at timestamptz,
  tokens_removed_at timestamptz,
  purged_at timestamptz
);
