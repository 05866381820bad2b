-- Why something is not posted is kept as facts, each by itself: who paused a subscription, and why the service may not be sending its changes.
-- What follows from all of them together stays in `state` and `reason`, which older releases read: it is what people were last notified of.

alter table plancast.subscriptions add column paused_by text;
alter table plancast.subscriptions add column withheld text;

-- Nothing is announced because of this migration: the facts are those for which each row is paused.
update plancast.subscriptions s set paused_by = coalesce((
    select a.user_id from plancast.audit a
    where a.team_id = s.team_id and a.act = 'pause subscription' and a.subject = s.id::text order by a.id desc limit 1), '')
  where state = 'paused' and reason = 'by a person';
update plancast.subscriptions set withheld = reason
  where state = 'paused' and reason in ('link lost', 'unlinked', 'owner gone', 'no access', 'not sent any more');
insert into plancast.lanes (enterprise_id, team_id, channel_id, fence)
  select distinct on (team_id, channel_id) enterprise_id, team_id, channel_id, 0 from plancast.subscriptions
  where state = 'paused'
  on conflict do nothing;
update plancast.lanes l set paused_reason = case s.reason
    when 'not in channel' then 'not_in_channel' when 'channel archived' then 'is_archived'
    when 'workspace access' then 'access_denied' else 'restricted_action' end
  from plancast.subscriptions s
  where s.team_id = l.team_id and s.channel_id = l.channel_id and l.paused_reason is null and s.state = 'paused'
    and s.reason in ('not in channel', 'channel archived', 'posting restricted', 'workspace access');
update plancast.subscriptions s set state = 'paused', reason = case
    when c.is_archived or l.paused_reason = 'is_archived' then 'channel archived'
    when c.is_out or l.paused_reason in ('channel_not_found', 'not_in_channel') then 'not in channel'
    else 'posting restricted' end
  from plancast.lanes l left join plancast.channels c on c.team_id = l.team_id and c.channel_id = l.channel_id
  where s.team_id = l.team_id and s.channel_id = l.channel_id and l.paused_reason is not null and s.state = 'active';

-- An older release beside this one writes `state` and `reason` alone: the facts follow.
create function plancast.keep_facts() returns trigger language plpgsql as $$
begin
  if new.state <> 'paused' then
    new.paused_by := null;
    new.withheld := null;
  elsif new.reason = 'by a person' then
    new.paused_by := coalesce(new.paused_by, '');
  elsif new.reason in ('link lost', 'unlinked', 'owner gone', 'no access', 'not sent any more') then
    new.withheld := new.reason;
  end if;
  return new;
end $$;
create trigger keep_facts before update of state, reason on plancast.subscriptions for each row
  when ((old.state, old.reason) is distinct from (new.state, new.reason)) execute function plancast.keep_facts();

-- Quiet hours as they were set, and the stretch of them that is or that comes next: a turn asks no time zone.
alter table plancast.lanes add column quiet jsonb;
alter table plancast.lanes add column quiet_from timestamptz;
alter table plancast.lanes add column quiet_until timestamptz;
