-- With a million subscriptions, what is to be deleted or looked for at the service is found without reading all of them every minute.

create index remotes_standing on plancast.remotes (subscription_id) where made_at is not null and deleted_at is null;
create index remotes_lost on plancast.remotes (link_id) where lost_at is not null and made_at is null and deleted_at is null;
create index remotes_unmade on plancast.remotes (asked_at) where made_at is null and deleted_at is null;
