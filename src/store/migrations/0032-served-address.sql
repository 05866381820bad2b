-- Remembers the address that this database serves: at first, the one its remote subscriptions were made with.

create table plancast.served_address (
  id integer primary key default 1 check (id = 1),
  address text,
  restored boolean not null default false
);

insert into plancast.served_address (address)
select callback_base from plancast.subscriptions
where service_subscription_id is not null and state <> 'ended'
group by callback_base
order by count(*) filter (where state = 'active') desc, max(changed_at) desc
limit 1;
