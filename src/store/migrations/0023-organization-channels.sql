-- Finds the subscriptions of an organization's channel, whichever of its workspaces they were made in.

create index subscriptions_of_organization on plancast.subscriptions (channel_id)
  where enterprise_id is not null and state <> 'ended';
