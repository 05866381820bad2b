-- An Undo button stays in its message and says when it is too late, so no message is stored in order to remove it. The table stays for
-- older releases.
delete from plancast.undo_offers;
