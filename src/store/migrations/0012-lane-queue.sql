-- The lanes become their own queue. Events name the items whose last state a turn needs, so that one statement can load both; older
-- releases write no names, so the items of their events are looked up separately. A row changes at each turn and should stay in its page,
-- half of which is therefore left free.

-- From now on a lane's row exists before anything is pending in it. This comes first, since the changes below lock their tables.
insert into plancast.lanes (enterprise_id, team_id, channel_id)
select max(enterprise_id), team_id, channel_id from (
  select enterprise_id, team_id, channel_id from plancast.subscriptions where state <> 'ended'
  union all
  select enterprise_id, team_id, channel_id from plancast.events where state = 'pending'
  union all
  select enterprise_id, team_id, channel_id from plancast.announcements
) as used
group by team_id, channel_id
on conflict do nothing;
alter table plancast.events add column item_keys text[];
alter table plancast.lanes add column claimed_by text;
alter table plancast.lanes set (fillfactor = 50);
