-- What was followed in a direct message as a part of a channel's subscription becomes a subscription of the person's own. The check of
-- their link makes its remote subscription.
with own as (
  update plancast.subscriptions set fed_by = null
  where fed_by is not null and state <> 'ended'
  returning coalesce(enterprise_id, team_id) as grid_id, owner_user_id
)
update plancast.links l set check_at = now() from own
where l.grid_id = own.grid_id and l.user_id = own.owner_user_id and l.given_up_at is null;
