-- Whether a channel is public in its workspace, as Slack last said. What such a channel follows has its name in the whole workspace.
alter table plancast.channels add column is_public boolean not null default false;

-- The subscriptions of a workspace to a project or session, which decide where its name may be shown.
create index subscriptions_parents on plancast.subscriptions (team_id, parent_id) where state <> 'ended';
