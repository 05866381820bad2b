-- When each follower of an item was last checked, so that all of them get checked.

alter table plancast.subscriptions add column looked_at timestamptz;
