/**
 * Node's module `http`. An import would read all exports of that module, three of which load a copy of undici, for WebSockets: a
 * fifth of the processor time until the bot is ready.
 */
export const http = process.getBuiltinModule('node:http');
