/** The bots' `TOKEN_KEYS`: nothing secret is sealed with it here. */
export const benchTokenKeys = `bench:${Buffer.alloc(32, 5).toString('base64')}`;

/** The bot's address for the service. Nothing calls it: the load goes to each bot's own port. */
export const publicUrl = 'https://plancast.example';

/** The only workspace. */
export const teamId = 'T0BENCH';

/** The owner of all subscriptions. */
export const ownerId = 'U0OWNER';
