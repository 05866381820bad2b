-- Is emptied and filled again, to find out whether anything can be stored.

create table plancast.probe (stored_at timestamptz not null default now());
