-- Names that one channel has learned can be used in others: names of items by subscriptions of the same person, names of projects and
-- sessions in the whole workspace. Rows of an older release name no person, and are used only in their own channel.

alter table plancast.items add column owner_user_id text;
-- The state of an item before it was last renamed or moved, and when that happened.
alter table plancast.items add column previous jsonb;
create index items_owner on plancast.items (team_id, owner_user_id, item_key)
  where owner_user_id is not null;
-- A separate index for rows that rarely change: with `changed_at` in an index, a row cannot be updated within its page.
create index items_parents on plancast.items (team_id, item_key, changed_at desc)
  where item_key like 'project:%' or item_key like 'session:%';
