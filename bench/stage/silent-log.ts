/** Discards everything. */
const none = (): void => undefined;
export const silentLog = { info: none, warn: none, error: none };
