-- Gives the claim of an accepted import a column of its own. Older releases keep theirs in asked_at.

alter table plancast.imports add column claimed_until timestamptz;
