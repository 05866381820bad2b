/**
 * What the bot uses of Node's `http`. An import would read all exports of that module, three of which load a copy of undici, for WebSockets: a
 * fifth of the processor time until the bot is ready.
 */
export const { createServer, request } = process.getBuiltinModule('node:http');
