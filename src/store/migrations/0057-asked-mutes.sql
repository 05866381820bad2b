-- Until when a person muted the channel. `muted_until` is later if quiet hours are in force then, as long as they are set like that.
alter table plancast.lanes add column mute_asked_until timestamptz;
