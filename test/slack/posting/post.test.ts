import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createPlainServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BotIdentity, NotInstalledError } from '../../../src/slack/installing/web-clients.ts';
import { post as postOn } from '../../../src/slack/posting/post.ts';
import { onApi } from '../../../src/slack/slack-port.ts';
import { anyIdentity, slackApiAt } from '../../support/slack-api.ts';

const channel = { enterpriseId: null, teamId: 'T1', channelId: 'C1' };
const message = { text: 'Lobby.pdf was added', blocks: [] };

let server: Server;
let apiUrl: string;
/** Authorization headers of the calls, in order. */
let calls: string[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let reads: number;
let stored: string | null;
let time: number;

beforeEach(async () => {
  calls = [];
  reads = 0;
  stored = 'xoxb-first';
  time = 0;
  answer = (_request, response) => response.end('{"ok":true,"ts":"1.2"}');
  server = createServer((request, response) => {
    calls.push(request.headers.authorization ?? '');
    request.resume().on('end', () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  apiUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/api/`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function identityOf(): Promise<BotIdentity> {
  reads += 1;
  if (stored === null) throw new NotInstalledError('the bot is not installed in this workspace');
  return { ...anyIdentity, botToken: stored };
}

function startPosting() {
  return onApi(slackApiAt({ apiUrl, identityOf, now: () => time }), { postOn }).postOn;
}

function takesOnly(token: string, error: string): void {
  answer = (request, response) =>
    response.end(
      request.headers.authorization === `Bearer ${token}`
        ? '{"ok":true,"ts":"1.2"}'
        : JSON.stringify({ ok: false, error }),
    );
}

test('a hundred messages to a workspace read its installation once, and a later one reads it again', async () => {
  const post = startPosting();
  for (let number = 0; number < 100; number++) await post(channel, message);
  expect(reads).toBe(1);
  time += 10_001;
  await post(channel, message);
  expect(reads).toBe(2);
});

test.each(['invalid_auth', 'token_revoked', 'token_expired'])(
  'the bot was installed again elsewhere, and Slack answers %s for the old token: the same message is posted with the new one',
  async (error) => {
    const post = startPosting();
    await post(channel, message);
    stored = 'xoxb-second';
    takesOnly('xoxb-second', error);
    expect(await post(channel, message)).toEqual({ kind: 'posted', ts: '1.2' });
    expect(await post(channel, message)).toEqual({ kind: 'posted', ts: '1.2' });
    expect(calls).toEqual(
      ['xoxb-first', 'xoxb-first', 'xoxb-second', 'xoxb-second'].map((token) => `Bearer ${token}`),
    );
  },
);

test('Slack revoked the token and there is no other: the call is not repeated', async () => {
  takesOnly('xoxb-second', 'token_revoked');
  const post = startPosting();
  expect(await post(channel, message)).toEqual({ kind: 'workspace closed', error: 'token_revoked' });
  expect(calls).toHaveLength(1);
});

test('the bot was uninstalled a moment ago: the workspace counts as not installed', async () => {
  const post = startPosting();
  await post(channel, message);
  stored = null;
  takesOnly('none', 'account_inactive');
  expect(await post(channel, message)).toEqual({ kind: 'workspace closed', error: 'not_installed' });
});

test("nothing listens at Slack's address: nothing can have been posted", async () => {
  const post = startPosting();
  await new Promise((resolve) => server.close(resolve));
  expect(await post(channel, message)).toEqual({ kind: 'wait', seconds: 5, error: 'ECONNREFUSED' });
});

test('the connection ends before encryption: nothing can have been posted', async () => {
  const hangingUp = createPlainServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => hangingUp.listen(0, '127.0.0.1', resolve));
  const address = hangingUp.address();
  apiUrl = `https://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/api/`;
  expect(await startPosting()(channel, message)).toEqual({ kind: 'wait', seconds: 5, error: 'ECONNRESET' });
  await new Promise((resolve) => hangingUp.close(resolve));
});

test('a reused connection ends without an answer: the message may have been posted', async () => {
  const post = startPosting();
  expect(await post(channel, message)).toMatchObject({ kind: 'posted' });
  answer = (request) => request.socket.destroy();
  expect(await post(channel, message)).toEqual({ kind: 'perhaps', error: 'ECONNRESET' });
});

test('an endless answer is not read to the end', async () => {
  let sent = 0;
  answer = (_request, response) => {
    const more = () => {
      sent += 1;
      if (!response.destroyed) response.write(' '.repeat(1_024 * 1_024), () => setImmediate(more));
    };
    more();
  };
  expect(await startPosting()(channel, message)).toEqual({ kind: 'perhaps', error: 'ANSWER_TOO_LONG' });
  expect(sent).toBeLessThan(100);
});

test('Slack says how long to wait', async () => {
  answer = (_request, response) => response.writeHead(429, { 'Retry-After': '7' }).end('{"ok":false}');
  expect(await startPosting()(channel, message)).toEqual({ kind: 'wait', seconds: 7, error: 'ratelimited' });
});

test.each([
  ['-5', 30],
  ['0', 30],
  ['86400000', 3_600],
  ['99999999999999999999', 3_600],
])(
  'Slack, or a proxy in front of it, asks to wait for %s s: it is neither asked again at once nor ignored for years',
  async (asked, seconds) => {
    answer = (_request, response) => response.writeHead(429, { 'Retry-After': asked }).end('{"ok":false}');
    expect(await startPosting()(channel, message)).toEqual({ kind: 'wait', seconds, error: 'ratelimited' });
  },
);

test('an answer that breaks off leaves open whether the message was posted', async () => {
  answer = (_request, response) => {
    response.writeHead(200, { 'Content-Length': '500' }).write('{"ok":');
    response.destroy();
  };
  expect(await startPosting()(channel, message)).toMatchObject({ kind: 'perhaps', error: 'ECONNRESET' });
});

test('letters of every alphabet arrive at Slack as they were written', async () => {
  let body = '';
  answer = (_request, response) => response.end('{"ok":true,"ts":"1.2"}');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => answer(request, response));
  });
  await startPosting()(channel, { text: 'Grundriß 平面図 🏗', blocks: [] });
  expect(new URLSearchParams(body).get('text')).toBe('Grundriß 平面図 🏗');
});
