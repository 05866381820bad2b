-- What earlier releases kept and this one does not read: imports that waited for their owner, and commands that were carried out.
delete from plancast.imports;
update plancast.link_attempts set request = null where request is not null and step = 'done' and follow_up_at is null;
