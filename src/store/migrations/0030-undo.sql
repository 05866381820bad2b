-- What the last change of a subscription's settings replaced, so that a button can undo it.

alter table plancast.subscriptions add column undo jsonb;
