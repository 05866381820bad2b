-- What nothing reads any more: tables and columns of earlier releases, and the trigger that kept the facts of a subscription in step with what
-- they wrote beside this release. None can run beside it since `remotes`.
drop trigger keep_facts on plancast.subscriptions;
drop function plancast.keep_facts();
drop table plancast.imports, plancast.to_pass_on, plancast.undo_offers;
alter table plancast.subscriptions drop column fed_by, drop column looked_at, drop column itself;
alter table plancast.lanes drop column attempt;
alter table plancast.links drop column scope;
alter table plancast.link_attempts drop column scope;
alter table plancast.settings drop column changed_at;
