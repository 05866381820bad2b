-- The table of @keyv/postgres, which would otherwise create it when first used: what is sealed in it is checked and resealed before that.
-- The key is text, since Keyv's own limit of 255 characters is needless.

create table if not exists plancast.keyv (key text primary key, value text);
