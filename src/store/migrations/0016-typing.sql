-- Folders with their contents, names that people type, and direct messages in which people follow something for themselves.

alter table plancast.items add column id_path text;
alter table plancast.subscriptions add column typed_name text;
create table plancast.direct_messages (
  team_id text not null,
  user_id text not null,
  -- Slack's D… id of the conversation between the bot and the person, from the answer to a post there.
  channel_id text not null,
  primary key (team_id, user_id)
);
