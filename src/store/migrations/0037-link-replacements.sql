-- An attempt stores which account it may replace, because that is asked for before the browser opens, and no longer when the tokens are there.
-- Attempts whose tokens wait for the answer end; their page says how to start again.
alter table plancast.link_attempts add column replaces jsonb;

update plancast.link_attempts set step = 'dead', code_hash = null, sealed_verifier = null, sealed_response_url = null,
  sealed_access_token = null, sealed_refresh_token = null
where step = 'replacing';
