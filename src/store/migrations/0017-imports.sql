-- Subscriptions that an operator imported but their owners have not agreed to yet.

create table plancast.imports (
  id uuid primary key default gen_random_uuid(),
  enterprise_id text,
  team_id text not null,
  -- "me" for the direct message between the owner and the bot.
  channel_id text not null,
  owner_user_id text not null,
  request jsonb not null,
  zone text,
  -- The same for all rows of one run of the command.
  batch uuid not null,
  created_at timestamptz not null,
  asked_at timestamptz
);
create unique index imports_target on plancast.imports (team_id, channel_id, owner_user_id, (request -> 'target'));
create index imports_unasked on plancast.imports (created_at) where asked_at is null;
