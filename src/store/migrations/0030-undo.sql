-- What the last change of a subscription's settings replaced, so that a button can undo it, until it is too late for that.

alter table plancast.subscriptions add column undo jsonb;
create index subscriptions_undo on plancast.subscriptions (changed_at) where undo is not null;
