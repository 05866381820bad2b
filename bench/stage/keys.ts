/** The bots' `TOKEN_KEYS`: nothing secret is ever sealed with it here. */
export const benchTokenKeys = `bench:${Buffer.alloc(32, 5).toString('base64')}`;

/** Where the service believes the bot to be. Nobody calls it there: the load goes to each bot's own port. */
export const publicUrl = 'https://plancast.example';

/** The one workspace. */
export const teamId = 'T0BENCH';

/** Who made all subscriptions. */
export const ownerId = 'U0OWNER';
