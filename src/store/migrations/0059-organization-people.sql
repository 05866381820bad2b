-- The organization of a person's workspace: when it leaves, its workspaces are looked for in every table that names one.
alter table plancast.direct_messages add column enterprise_id text;
update plancast.direct_messages d set enterprise_id = l.enterprise_id
from (
  select team_id, enterprise_id from plancast.lanes where enterprise_id is not null
  union select team_id, enterprise_id from plancast.links where enterprise_id is not null
  union select team_id, enterprise_id from plancast.settings where enterprise_id is not null
) l
where l.team_id = d.team_id;
