import { once } from 'node:events';
import http, { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Reply = {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** A function where the answer depends on what was sent. */
  readonly body?: string | ((sent: string) => string);
};
export type Replies = Readonly<Record<string, Reply | ((request: IncomingMessage) => Reply)>>;

export const scopes =
  'commands,chat:write,channels:read,groups:read,users:read,chat:write.public,users:read.email,app_mentions:read';

const page = '<title>This link isn’t valid · Plancast</title>';

/** What each system answers when all is well, by requested path. */
const well: Replies = {
  'POST /slack/api/auth.test': { headers: { 'x-oauth-scopes': scopes }, body: '{"ok":true,"team":"Studio"}' },
  'POST /slack/api/oauth.v2.access': { body: '{"ok":false,"error":"invalid_code"}' },
  'GET /auth/auth/oauth/authorize': { body: '<form>Sign in</form>' },
  'GET /service/v1/notifications/subscriptions': { status: 401 },
  'POST /auth/auth/token': { status: 400, body: '{"error":"invalid_grant"}' },
  'GET /bot/healthz': { body: 'ok\n' },
  'GET /bot/readyz': { body: 'ok\n' },
  // As the bot answers; a real one is asked in set-ups.slow.test.ts.
  'POST /bot/slack/events': ({ headers }) =>
    headers['x-slack-signature'] === undefined ? { status: 401 } : { body: challengeIn },
  'POST /bot/notifications/doctor': { status: 404, body: '{}' },
  'GET /bot/link/doctor': { status: 404, body: page },
  'GET /bot/oauth/callback': ({ headers }) => ({
    status: 303,
    headers: { location: `http://${headers.host}/bot/linked` },
  }),
  'GET /bot/linked': { body: page },
  'GET /bot/slack/oauth_redirect': { status: 400, body: page },
};

export function challengeIn(sent: string): string {
  return JSON.stringify({ challenge: JSON.parse(sent).challenge });
}

export const keys = `first:${Buffer.alloc(32, 1).toString('base64')}`;

/** The systems that the doctor checks, and the settings that lead to them. */
export type Systems = Awaited<ReturnType<typeof startSystems>>;

/**
 * Starts all systems on one port, answering as they do when all is well, except for `changes`. Requests to the bot reach the one on
 * `botPort` while it runs, through a proxy that strips `/bot`.
 */
export async function startSystems(databaseUrl: string, changes: Replies = {}, botPort = 0) {
  const asked: string[] = [];
  const answer: RequestListener = async (request, response) => {
    const { pathname, search } = new URL(request.url ?? '', 'http://localhost');
    const name = `${request.method} ${pathname}`;
    asked.push(name);
    const sent = await text(request);
    const [, path] = /^\/bot(\/.*)/.exec(pathname) ?? [];
    if (path !== undefined && changes[name] === undefined && botPort !== 0) {
      const { method, headers } = request;
      const passed = http.request({ port: botPort, path: `${path}${search}`, method, headers }).end(sent);
      const [answered] = await once(passed, 'response').catch(() => []);
      if (answered) return answered.pipe(response.writeHead(answered.statusCode, answered.headers));
    }
    const found = { ...well, ...changes }[name] ?? { status: 404 };
    const { status = 200, headers, body } = typeof found === 'function' ? found(request) : found;
    response.writeHead(status, headers).end(typeof body === 'function' ? body(sent) : body);
  };
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const environment = {
    PUBLIC_URL: `${origin}/bot`,
    DATABASE_URL: databaseUrl,
    DATA_DIR: '/nowhere/data',
    SLACK_SIGNING_SECRET: 'signing-hunter2',
    SLACK_BOT_TOKEN: 'xoxb-hunter2',
    SLACK_API_URL: `${origin}/slack/api/`,
    SERVICE_BASE_URL: `${origin}/service/v1`,
    SERVICE_AUTH_URL: `${origin}/auth`,
    SERVICE_CLIENT_ID: 'app',
    SERVICE_CLIENT_SECRET: 'app-hunter2',
    TOKEN_KEYS: keys,
  };
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { environment, asked, close };
}
