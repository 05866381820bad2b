-- The first tables. Times are timestamptz; Slack's ids are text; the service's ids are bigint where the interface shows integers. Columns
-- named sealed_* hold secrets sealed by sealing.ts; columns named *_hash hold the SHA-256 of one.

create schema if not exists plancast;

create table plancast.secrets (
  name text primary key,
  sealed text not null
);

create table plancast.links (
  id uuid primary key default gen_random_uuid(),
  enterprise_id text,
  team_id text not null,
  grid_id text not null,
  user_id text not null,
  account text,
  sealed_access_token text,
  access_expires_at timestamptz,
  sealed_refresh_token text,
  refresh_expires_at timestamptz,
  scope text,
  state text not null check (state in ('active', 'relink')),
  relink_asked_at timestamptz,
  linked_at timestamptz not null,
  refreshed_at timestamptz not null,
  unique (grid_id, user_id)
);
create index links_keep_alive on plancast.links (refreshed_at) where state = 'active';

create table plancast.link_attempts (
  id uuid primary key default gen_random_uuid(),
  enterprise_id text,
  team_id text not null,
  grid_id text not null,
  user_id text not null,
  channel_id text,
  ticket_hash bytea not null unique,
  state_hash bytea unique,
  cookie_hash bytea,
  code_hash bytea,
  code_tries integer not null default 0,
  sealed_verifier text,
  sealed_response_url text,
  sealed_access_token text,
  sealed_refresh_token text,
  access_expires_at timestamptz,
  refresh_expires_at timestamptz,
  scope text,
  account text,
  request jsonb,
  step text not null check (step in ('offered', 'sent', 'answered', 'proving', 'replacing', 'done', 'dead')),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index link_attempts_person on plancast.link_attempts (grid_id, user_id, created_at);

create table plancast.subscriptions (
  id uuid primary key default gen_random_uuid(),
  enterprise_id text,
  team_id text not null,
  channel_id text not null,
  owner_user_id text not null,
  kind text not null check (kind in ('project', 'folder', 'file', 'session', 'document')),
  parent_id text not null,
  item_id text,
  comprehensive boolean not null,
  filters jsonb not null,
  delivery jsonb not null,
  threads boolean not null,
  callback_token_hash bytea not null unique,
  callback_base text not null,
  service_subscription_id bigint,
  -- The remote subscription that is being replaced, so that nothing is lost while both exist.
  previous_token_hash bytea unique,
  previous_service_subscription_id bigint,
  sealed_key text,
  signature_rule text,
  signature_matches integer not null default 0,
  resource_path text,
  resource_name text,
  state text not null check (state in ('pending', 'active', 'paused', 'ended')),
  reason text,
  health jsonb,
  last_event_at timestamptz,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  ended_at timestamptz,
  released_at timestamptz
);
-- One live subscription per channel and resource: a repeated command changes the existing row.
create unique index subscriptions_live on plancast.subscriptions
  (team_id, channel_id, kind, parent_id, coalesce(item_id, '')) where state <> 'ended';
create index subscriptions_owner on plancast.subscriptions (team_id, owner_user_id) where state <> 'ended';
create index subscriptions_unreleased on plancast.subscriptions (ended_at)
  where state = 'ended' and released_at is null;
create index subscriptions_pending on plancast.subscriptions (created_at) where state = 'pending';

create table plancast.events (
  seq bigint generated always as identity primary key,
  notification_id text not null,
  subscription_id uuid not null,
  service_subscription_id bigint,
  enterprise_id text,
  team_id text not null,
  channel_id text not null,
  state text not null check (state in ('pending', 'posted', 'filtered', 'dead')),
  reason text,
  fingerprint text,
  notification jsonb,
  -- Waited for something (a digest's hour, the end of a pause or mute): is posted in a summary.
  summary boolean not null default false,
  message_ts text,
  received_at timestamptz not null,
  posted_at timestamptz,
  unique (subscription_id, notification_id)
);
create index events_waiting on plancast.events (team_id, channel_id, seq)
  where state = 'pending' and reason is null;
create index events_held on plancast.events (team_id, channel_id, seq)
  where state = 'pending' and reason is not null;
create index events_fingerprint on plancast.events (team_id, channel_id, fingerprint, received_at);
create index events_message on plancast.events (channel_id, message_ts) where message_ts is not null;
create index events_received on plancast.events (received_at);
create index events_dead on plancast.events (seq) where state = 'dead';

create table plancast.items (
  team_id text not null,
  channel_id text not null,
  item_key text not null,
  name text,
  path text,
  thread_ts text,
  changed_at timestamptz not null,
  primary key (team_id, channel_id, item_key)
);

create table plancast.lanes (
  enterprise_id text,
  team_id text not null,
  channel_id text not null,
  fence bigint not null default 0,
  claimed_until timestamptz,
  not_before timestamptz,
  last_post_at timestamptz,
  last_update_at timestamptz,
  card jsonb,
  failures integer not null default 0,
  paused_reason text,
  -- When the channel was last reported open to the bot.
  reopened_at timestamptz,
  muted_until timestamptz,
  primary key (team_id, channel_id)
);

create table plancast.announcements (
  id uuid primary key default gen_random_uuid(),
  seq bigint generated always as identity,
  enterprise_id text,
  team_id text not null,
  channel_id text not null,
  message jsonb not null,
  created_at timestamptz not null
);
create index announcements_lane on plancast.announcements (team_id, channel_id, seq);

create table plancast.settings (
  team_id text primary key,
  enterprise_id text,
  value jsonb not null,
  changed_at timestamptz not null
);

create table plancast.seen_requests (
  id text primary key,
  seen_at timestamptz not null
);
create index seen_requests_age on plancast.seen_requests (seen_at);

create table plancast.audit (
  id bigint generated always as identity primary key,
  enterprise_id text,
  team_id text not null,
  channel_id text,
  user_id text,
  act text not null,
  subject text,
  detail jsonb,
  at timestamptz not null
);
create index audit_team on plancast.audit (team_id, at);
