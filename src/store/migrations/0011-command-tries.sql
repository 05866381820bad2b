-- When each person last sent a command or pressed a button, so that all processes count the same.

create table plancast.command_tries (
  team_id text not null,
  user_id text not null,
  tried_at timestamptz[] not null,
  last_at timestamptz not null,
  primary key (team_id, user_id)
);
create index command_tries_age on plancast.command_tries (last_at);
