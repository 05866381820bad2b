-- What people asked an admin to allow.

create table plancast.requests (
  id uuid primary key default gen_random_uuid(),
  enterprise_id text,
  team_id text not null,
  channel_id text not null,
  created_by text not null,
  request jsonb not null,
  state text not null check (state in ('offered', 'asked', 'allowed', 'declined')),
  created_at timestamptz not null,
  answered_by text,
  answered_at timestamptz
);
create index requests_person on plancast.requests (team_id, created_by, created_at);
create index requests_age on plancast.requests (created_at);
