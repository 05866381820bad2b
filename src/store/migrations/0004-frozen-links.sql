-- Links of people who left their workspace: kept for a while, but not used. Also an index by owner alone: in an organization, the
-- subscriptions of one link can be in any of its workspaces.

alter table plancast.links
  add column frozen_at timestamptz,
  drop constraint links_state_check,
  add constraint links_state_check check (state in ('active', 'relink', 'frozen'));
create index subscriptions_owner_anywhere on plancast.subscriptions (owner_user_id) where state <> 'ended';
