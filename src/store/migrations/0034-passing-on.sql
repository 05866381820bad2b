-- Events of channels in which people follow single items, until their followers have them. A notification is answered before that, so a
-- channel with many followers costs its receipt nothing.
create table plancast.to_pass_on (
  seq bigint primary key
);

-- Followers of one item, and the direct messages that an item was last seen in.
create index subscriptions_fed_items on plancast.subscriptions (fed_by, item_id)
  where fed_by is not null and state <> 'ended';
create index items_in_direct_messages on plancast.items (team_id, item_key)
  where channel_id like 'D%';
