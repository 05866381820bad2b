-- Whom the new messages of a subscription mention, and when one last did.

alter table plancast.subscriptions add column ping jsonb, add column pinged_at timestamptz;

-- When the owner of a subscription was last asked whether it posts too much, and until when nobody is to be asked again.
alter table plancast.subscriptions add column volume_asked_at timestamptz, add column volume_kept_until timestamptz;
