-- Items that people follow in their direct message. A channel's subscription feeds them, so they have no remote subscription.

alter table plancast.subscriptions add column fed_by uuid;
create index subscriptions_fed_by on plancast.subscriptions (fed_by)
  where fed_by is not null and state <> 'ended';
