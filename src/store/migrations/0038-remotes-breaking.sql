-- What was asked for at the service has rows of its own: a subscription has the one that fits it, and for a while others that are to be
-- deleted there. An earlier release looks for tokens in `subscriptions`, and would answer the service that it does not know them.

create table plancast.remotes (
  id uuid primary key default gen_random_uuid(),
  -- Checked at the end of a transaction, so that a backup can be restored table by table.
  subscription_id uuid not null references plancast.subscriptions on delete cascade deferrable initially deferred,
  team_id text not null,
  -- The link it was asked for with. Null once that is gone: nothing can be deleted with it any more.
  link_id uuid references plancast.links on delete set null deferrable initially deferred,
  token_hash bytea not null unique,
  callback_base text not null,
  -- The scope of the subscription when it was asked for.
  comprehensive boolean not null,
  service_id bigint,
  sealed_key text,
  -- The column of `subscriptions` that an earlier release sealed the Key for, with the subscription's id; null: this table's, with this id.
  key_column text check (key_column in ('sealed_key', 'previous_sealed_key')),
  asked_at timestamptz not null,
  -- When the service's answer was stored.
  made_at timestamptz,
  -- When the answer was given up: perhaps it was made all the same.
  lost_at timestamptz,
  -- When the service was next to be asked to delete it.
  retry_at timestamptz,
  -- When it was certain that the service has it no longer, or never had.
  deleted_at timestamptz
);
create index remotes_of_subscription on plancast.remotes (subscription_id);
create index remotes_of_link on plancast.remotes (link_id) where deleted_at is null;
-- One request at a time for each subscription.
create unique index remotes_asked on plancast.remotes (subscription_id)
  where made_at is null and lost_at is null and deleted_at is null;

-- The newest of each subscription. Without an id, its answer was not stored: the next check of the link looks for it.
insert into plancast.remotes (subscription_id, team_id, link_id, token_hash, callback_base, comprehensive, service_id, sealed_key,
  key_column, asked_at, made_at, lost_at, deleted_at)
select s.id, s.team_id, l.id, s.callback_token_hash, s.callback_base, s.comprehensive, s.service_subscription_id, s.sealed_key,
  'sealed_key', s.changed_at, case when s.service_subscription_id is not null then s.changed_at end,
  case when s.service_subscription_id is null then s.changed_at end,
  case when s.state = 'ended' and (s.released_at is not null or s.service_subscription_id is null and s.previous_token_hash is null)
    then coalesce(s.released_at, s.ended_at) end
from plancast.subscriptions s
left join plancast.links l on l.grid_id = coalesce(s.enterprise_id, s.team_id) and l.user_id = s.owner_user_id
where s.fed_by is null or s.state = 'ended';

-- The one that was being replaced. Where the newest was made, this one must not pass for the one that fits: it is given the other scope.
insert into plancast.remotes (subscription_id, team_id, link_id, token_hash, callback_base, comprehensive, service_id, sealed_key,
  key_column, asked_at, made_at, lost_at, deleted_at)
select s.id, s.team_id, l.id, s.previous_token_hash, s.callback_base,
  case when s.service_subscription_id is null then s.comprehensive else not s.comprehensive end,
  s.previous_service_subscription_id, s.previous_sealed_key, 'previous_sealed_key', s.created_at,
  case when s.previous_service_subscription_id is not null then s.created_at end,
  case when s.previous_service_subscription_id is null then s.created_at end,
  case when s.state = 'ended' then coalesce(s.previous_removed_at, s.released_at) else s.previous_removed_at end
from plancast.subscriptions s
left join plancast.links l on l.grid_id = coalesce(s.enterprise_id, s.team_id) and l.user_id = s.owner_user_id
where s.previous_token_hash is not null;

alter table plancast.subscriptions
  drop column callback_token_hash,
  drop column callback_base,
  drop column service_subscription_id,
  drop column sealed_key,
  drop column resource_path,
  drop column previous_token_hash,
  drop column previous_service_subscription_id,
  drop column previous_sealed_key,
  drop column previous_removed_at,
  drop column released_at;

alter table plancast.links
  -- When its remote subscriptions are compared with what the service lists, first those where something was wrong.
  add column check_at timestamptz not null default now(),
  add column is_troubled boolean not null default false,
  -- Until when a process that checks it keeps others from doing the same.
  add column checking_until timestamptz,
  -- Until when the service has asked to be left alone (`Retry-After`).
  add column rests_until timestamptz,
  -- When Slack was last asked who the person is.
  add column standing_at timestamptz,
  -- When the person unlinked. The tokens are kept for minutes, to delete what was made with them; the person can link again meanwhile.
  add column given_up_at timestamptz,
  drop constraint links_grid_id_user_id_key;
create unique index links_of_person on plancast.links (grid_id, user_id) where given_up_at is null;
create index links_to_check on plancast.links (is_troubled desc, check_at);
create index links_standing on plancast.links (team_id, standing_at);
