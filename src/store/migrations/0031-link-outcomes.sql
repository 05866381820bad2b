-- Keeps how an attempt went, because the page that says so has another address than the service's callback.

alter table plancast.link_attempts
  add column answered_at timestamptz,
  add column fault text,
  add column fault_detail text;

create index link_attempts_cookie_hash on plancast.link_attempts (cookie_hash);
