-- What a channel got since a time: the changes of a recap, and how many were filtered. Only settled events are in it, so that accepting one costs
-- no more than before.
create index if not exists events_recap on plancast.events (team_id, channel_id, received_at)
  where state in ('posted', 'filtered');
