-- Until now, a lane's last message named whose changes it shows by email address, for as long as nothing else was posted there.

update plancast.lanes set card = null where card ? 'by';
