-- Since when a process has been carrying out a request that an admin allowed, or that waited for an invitation; null before and after.
alter table plancast.requests add column claimed_at timestamptz;
update plancast.requests set claimed_at = answered_at where state = 'kept';
create index requests_claimed on plancast.requests (claimed_at) where claimed_at is not null;
