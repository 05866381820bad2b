/** SQL: the id of what a subscription `s` has at the service; null if it has nothing there. */
export const recordOf = `(select r.service_id from plancast.remotes r
  where r.subscription_id = s.id and r.made_at is not null and r.deleted_at is null order by r.asked_at desc limit 1)`;
