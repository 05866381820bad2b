-- With a million subscriptions, the check every minute of what keeps them from posting reads those that changed, and those of links that do not work.

create index subscriptions_changed on plancast.subscriptions (changed_at) where state <> 'ended';
create index links_not_working on plancast.links (user_id) where state <> 'active' or given_up_at is not null;

-- Nothing reads these any more, and what they cover is written with every refreshed token and every new item of a direct message.
drop index plancast.links_keep_alive;
drop index plancast.items_in_direct_messages;
