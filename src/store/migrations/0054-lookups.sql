-- Until a table has statistics, the planner takes any index whose first column it has a value for. Indexes that begin with the workspace made it
-- read all of a workspace's subscriptions, three times for each turn of a lane. The workspace comes last, so that only the column that
-- identifies rows leads to them.
drop index plancast.subscriptions_owner;
drop index plancast.subscriptions_owner_anywhere;
create index subscriptions_of_owner on plancast.subscriptions (owner_user_id, team_id) where state <> 'ended';
drop index plancast.subscriptions_parents;
create index subscriptions_of_parent on plancast.subscriptions (parent_id, team_id) where state <> 'ended';
