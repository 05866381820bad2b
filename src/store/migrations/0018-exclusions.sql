-- Items that are muted in a channel and people whose changes are skipped there, and the Undo buttons that are still in messages.

create table plancast.exclusions (
  id uuid primary key default gen_random_uuid(),
  enterprise_id text,
  team_id text not null,
  channel_id text not null,
  kind text not null,
  -- The key of the item, or the person's email address at the service in lower case.
  key text not null,
  -- For an item: what it is, and its name at the time.
  item_kind text,
  name text,
  folder text[],
  by_user_id text not null,
  -- False once it was undone or shown again.
  is_active boolean not null,
  changed_at timestamptz not null,
  constraint exclusions_kind check (kind in ('item', 'person')),
  constraint exclusions_key unique (team_id, channel_id, kind, key)
);
create table plancast.undo_offers (
  enterprise_id text,
  team_id text not null,
  channel_id text not null,
  message_ts text not null,
  -- The message without its Undo button.
  message jsonb not null,
  until timestamptz not null,
  primary key (team_id, channel_id, message_ts)
);
create index undo_offers_until on plancast.undo_offers (until);
