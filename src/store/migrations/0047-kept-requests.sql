-- A request can also wait until the bot is invited to its channel.
alter table plancast.requests drop constraint requests_state_check,
  add constraint requests_state_check check (state in ('offered', 'asked', 'allowed', 'declined', 'kept'));
create index requests_kept on plancast.requests (channel_id) where state = 'kept';
