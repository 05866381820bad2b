-- Whether the person asked for the resource itself (`itself`). A file that is followed alone (`comprehensive` false) although nobody asked for
-- that has the subscription of an older release, or of a person whom the service refuses its project.
alter table plancast.subscriptions add column itself boolean not null default false;
