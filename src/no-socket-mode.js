/**
 * Takes the place of `@slack/socket-mode`, which Bolt loads in any case: with its copy of undici, that is 7 MB of memory. Slack calls this bot
 * over HTTP. See `compile-cache.js`.
 */
export class SocketModeClient {
  /** @throws always */
  constructor() {
    throw new Error('Socket Mode is not loaded: Slack calls this bot over HTTP');
  }
}
