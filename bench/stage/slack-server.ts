import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SlackEntry } from './slack.ts';

/**
 * A minimal Slack that answers after a delay and logs what was posted: the practice Slack validates every block, which would use much of
 * the machine that is being measured. Paths are `/{caller}/api/{method}`.
 */
const options: { readonly answerMs: number; readonly teamId: string } = JSON.parse(process.argv[2] ?? '{}');

const log: SlackEntry[] = [];
const hanging = new Map<string, { released: Promise<void>; release: () => void }>();
const watchers = new Map<string, (seen: { source: string; method: string }) => void>();
/** The last post of each channel, to enforce Slack's one message per second; null if that is not enforced. */
let lastPostAt: Map<string, number> | null = null;
let lastTs = 0;

type Call = {
  readonly source: string;
  readonly method: string;
  readonly fields: URLSearchParams;
  readonly isGone: () => boolean;
};

function hang(channel: string): void {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  hanging.set(channel, { released, release });
}

const epochNow = () => performance.timeOrigin + performance.now();

/** Six decimals, and never the same twice. */
function newTs(): string {
  lastTs = Math.max(lastTs + 1, Math.round(epochNow() * 1_000));
  return `${Math.floor(lastTs / 1e6)}.${String(lastTs % 1e6).padStart(6, '0')}`;
}

function person(fields: URLSearchParams) {
  const name = fields.get('email') ?? fields.get('user') ?? 'nobody';
  return {
    id: `U${name.replace(/\W/g, '').toUpperCase()}`,
    team_id: options.teamId,
    name,
    profile: { display_name: name },
  };
}

async function write(call: Call): Promise<object> {
  const { source, method, fields } = call;
  const channel = fields.get('channel') ?? '';
  const arrivedAt = epochNow();
  const watcher = watchers.get(channel);
  watchers.delete(channel);
  watcher?.({ source, method });
  const hung = hanging.get(channel);
  if (hung) {
    await hung.released;
    // A caller that has disconnected has not posted.
    if (call.isGone()) return {};
  }
  await sleep(options.answerMs);
  const ts = fields.get('ts') ?? newTs();
  const [, file] = /plan-(\d+)\.pdf/.exec(fields.get('text') ?? '') ?? [];
  const number = file === undefined ? null : Number(file);
  log.push({ method, source, channel, ts, arrivedAt, storedAt: epochNow(), number });
  return { ok: true, channel, ts, message: { text: '' } };
}

/** Returns whether a post comes within a second of the last accepted one in its channel. */
function comesTooSoon(channel: string): boolean {
  if (lastPostAt === null) return false;
  const now = performance.now();
  if (now - (lastPostAt.get(channel) ?? Number.NEGATIVE_INFINITY) < 1_000) return true;
  lastPostAt.set(channel, now);
  return false;
}

async function answerTo(call: Call): Promise<object> {
  const { method, fields } = call;
  if (method === 'chat.postMessage' || method === 'chat.update') return write(call);
  await sleep(options.answerMs);
  switch (method) {
    case 'auth.test':
      return {
        ok: true,
        team_id: options.teamId,
        team: 'Bench',
        user_id: 'UBOT',
        bot_id: 'BBOT',
        user: 'plancast',
      };
    case 'users.info':
    case 'users.lookupByEmail':
      return { ok: true, user: person(fields) };
    case 'conversations.info':
      return { ok: true, channel: { id: fields.get('channel'), is_channel: true, is_member: true } };
    default:
      return { ok: false, error: 'unknown_method' };
  }
}

/** Handles the benchmark's own requests. */
async function control(path: string, fields: URLSearchParams): Promise<unknown> {
  const channel = fields.get('channel') ?? '';
  switch (path) {
    case '/bench/log':
      return log.slice(Number(fields.get('from') ?? 0));
    case '/bench/hang':
      hang(channel);
      return {};
    case '/bench/release':
      hanging.get(channel)?.release();
      hanging.delete(channel);
      return {};
    case '/bench/limit':
      lastPostAt = new Map();
      return {};
    case '/bench/next':
      return new Promise((resolve) => watchers.set(channel, resolve));
    default:
      return {};
  }
}

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const url = new URL(request.url ?? '/', 'http://slack');
  const [, source = '', api, method = ''] = url.pathname.split('/');
  const fields = new URLSearchParams(body);
  if (api === 'api' && method === 'chat.postMessage' && comesTooSoon(fields.get('channel') ?? '')) {
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' });
    response.end('{"ok":false,"error":"ratelimited"}');
    return;
  }
  const answer =
    api === 'api'
      ? await answerTo({
          source,
          method,
          fields,
          isGone: () => response.destroyed,
        })
      : await control(url.pathname, url.searchParams);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

process.on('disconnect', () => process.exit(0));
const server = createServer((request, response) => {
  take(request, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0 });
});
