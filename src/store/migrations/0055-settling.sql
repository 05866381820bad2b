-- With a million subscriptions, the minute's look at what keeps them from posting reads those that changed, and those of links that do not work.

create index subscriptions_changed on plancast.subscriptions (changed_at) where state <> 'ended';
create index links_not_working on plancast.links (user_id) where state <> 'active' or given_up_at is not null;
