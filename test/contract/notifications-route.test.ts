import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.ts';
import {
  deliver,
  lookFromOutside,
  notificationFor,
  type Outside,
  type Upstream,
  until,
  withToken,
} from './outside.ts';

let log = '';
let stage: Stage;
let outside: Outside;
let up: Upstream;
let channelId: string;
beforeAll(async () => {
  stage = await setStage({ name: 'notifications route', onLog: (line) => (log += line) });
  outside = lookFromOutside(stage);
  const following = await outside.following(`/subscribe project 412-873-550 digest hourly`);
  up = following.up;
  channelId = following.channel.id;
});
afterAll(async () => {
  await outside.close();
  await stage.close();
});

const idsStored = async () => (await outside.events(channelId)).map(({ notification_id: id }) => id);
const answerOf = async (answer: Response) => [answer.status, await answer.text()];
/** Returns a valid notification whose body has exactly this many bytes. */
function ofSize(bytes: number): string {
  const body = JSON.stringify(notificationFor(up, { more: { Padding: '' } }));
  return body.replace('"Padding":""', `"Padding":"${'x'.repeat(bytes - body.length)}"`);
}

describe('requests that are accepted', () => {
  test.each(['POST', 'PUT'])(
    '%s of a notification is answered with 200 {} once it is in the database',
    async (method) => {
      const id = randomUUID();
      const answer = await deliver(up.uri, notificationFor(up, { id }), { method });
      const stored = await idsStored();
      expect(await answerOf(answer)).toEqual([200, '{}']);
      expect(stored).toContain(id);
    },
  );

  test('a proxy may put the absolute URL into the request line', async () => {
    const { hostname, port } = new URL(up.uri);
    const id = randomUUID();
    const sent = request({ hostname, port, method: 'POST', path: up.uri });
    sent.end(JSON.stringify(notificationFor(up, { id })));
    const [answer] = await once(sent, 'response');
    answer.resume();
    expect(answer.statusCode).toBe(200);
    expect(await idsStored()).toContain(id);
  });

  test('the answer says that it is JSON', async () => {
    const answer = await deliver(up.uri, notificationFor(up));
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  test.each([
    'application/json; charset=utf-8',
    'text/json',
    'text/plain',
    'text/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'nonsense',
  ])('the content type does not matter: %s', async (type) => {
    const id = randomUUID();
    const headers = { 'content-type': type };
    const answer = await deliver(up.uri, notificationFor(up, { id }), { headers });
    expect(await answerOf(answer)).toEqual([200, '{}']);
    expect(await idsStored()).toContain(id);
  });

  test('a request without a content type is accepted too', async () => {
    const id = randomUUID();
    const body = Buffer.from(JSON.stringify(notificationFor(up, { id })));
    const answer = await fetch(up.uri, { method: 'POST', body });
    expect(await answerOf(answer)).toEqual([200, '{}']);
    expect(await idsStored()).toContain(id);
  });

  test('each notification of an array is stored separately', async () => {
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    const answer = await deliver(
      up.uri,
      ids.map((id) => notificationFor(up, { id })),
    );
    expect(await answerOf(answer)).toEqual([200, '{}']);
    expect(await idsStored()).toEqual(expect.arrayContaining(ids));
  });

  test('an empty array is answered with 200', async () => {
    expect(await answerOf(await deliver(up.uri, []))).toEqual([200, '{}']);
  });

  test('of an array with one valid notification among invalid ones, only the valid one is stored', async () => {
    const [good, strange] = [randomUUID(), randomUUID()];
    const others = [null, 7, 'text', {}, [], notificationFor({ id: up.id + 1000 }, { id: strange })];
    const answer = await deliver(up.uri, [...others, notificationFor(up, { id: good })]);
    expect(await answerOf(answer)).toEqual([200, '{}']);
    const stored = await idsStored();
    expect(stored).toContain(good);
    expect(stored).not.toContain(strange);
  });

  test('unknown fields, missing optional fields and unknown event types are accepted', async () => {
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    const bare = {
      Id: ids[0],
      SubscriptionId: up.id,
      Resource: '/Primes/4021/Projects/412873550/',
      Timestamp: '2026-11-21T09:12:07.1230000+00:00',
      ExtraInformation: { ResourceType: 'Projects', EventType: 'Update' },
    };
    expect((await deliver(up.uri, bare)).status).toBe(200);
    const odd = notificationFor(up, { id: ids[1], type: 'Annotate', more: { Later: { a: [1] } } });
    expect((await deliver(up.uri, odd)).status).toBe(200);
    const asText = notificationFor(up, { id: ids[2], more: { SubscriptionId: String(up.id), Source: '2' } });
    expect((await deliver(up.uri, asText)).status).toBe(200);
    expect(await idsStored()).toEqual(expect.arrayContaining(ids));
  });

  test('the same notification again is answered with 200 {}, and makes no second row', async () => {
    const id = randomUUID();
    const body = notificationFor(up, { id });
    for (let count = 0; count < 3; count += 1) {
      expect(await answerOf(await deliver(up.uri, body))).toEqual([200, '{}']);
    }
    expect((await idsStored()).filter((stored) => stored === id)).toHaveLength(1);
  });

  test('twenty simultaneous requests with the same notification make one row', async () => {
    const body = notificationFor(up, { id: randomUUID() });
    const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(up.uri, body)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect((await idsStored()).filter((stored) => stored === body.Id)).toHaveLength(1);
  });

  test('a body just below 256 kB is accepted', async () => {
    expect((await deliver(up.uri, ofSize(255_000))).status).toBe(200);
  });

  test.each(['GET', 'HEAD'])('%s with a live token is answered with 200', async (method) => {
    expect((await fetch(up.uri, { method })).status).toBe(200);
  });
});

describe('requests that are rejected', () => {
  test.each([
    ['nothing', ''],
    ['invalid JSON', 'hello'],
    ['half of a JSON text', '{"Id":'],
    ['a form', 'Id=1&SubscriptionId=2'],
    ['XML', '<notification/>'],
    ['null', 'null'],
    ['a number', '7'],
    ['a string', '"x"'],
    ['an object that is not a notification', '{}'],
    ['an array without a notification', '[{}, null, 3]'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['JSON nested a hundred thousand levels deep', '['.repeat(100_000)],
    ['a NUL byte', '{"Id":"\u0000'],
  ])('a body without a notification is answered with 400: %s', async (_what, body) => {
    const before = await idsStored();
    const answer = await deliver(up.uri, '', { body });
    expect(answer.status).toBe(400);
    expect(await idsStored()).toEqual(before);
  });

  test('__proto__ in a body changes nothing', async () => {
    const body = JSON.stringify(notificationFor(up)).replace('{', '{"__proto__":{"polluted":1},');
    expect([200, 400]).toContain((await deliver(up.uri, body)).status);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  test.each(['DELETE', 'PATCH', 'OPTIONS'])('%s is answered with 405', async (method) => {
    const answer = await fetch(up.uri, { method });
    expect(answer.status).toBe(405);
  });

  test('a notification of another subscription than the token’s is answered with 404 and not stored', async () => {
    const id = randomUUID();
    const answer = await deliver(up.uri, notificationFor({ id: up.id + 77 }, { id }));
    expect(answer.status).toBe(404);
    const all = await deliver(up.uri, [
      notificationFor({ id: up.id + 77 }, { id }),
      notificationFor({ id: up.id + 78 }, { id: randomUUID() }),
    ]);
    expect(all.status).toBe(404);
    expect(await idsStored()).not.toContain(id);
  });

  test.each([0, -1, 1.5, 1e30, 'abc', true, {}])(
    'the SubscriptionId %j, which no subscription has: 404, nothing stored',
    async (named) => {
      const id = randomUUID();
      const answer = await deliver(up.uri, { ...notificationFor(up, { id }), SubscriptionId: named });
      expect(answer.status).toBe(404);
      expect(await idsStored()).not.toContain(id);
    },
  );

  test('a body over 256 kB is answered with 413, also without a Content-Length', async () => {
    expect((await deliver(up.uri, ofSize(263_000))).status).toBe(413);
    const chunks = new ReadableStream({
      start(controller) {
        for (let count = 0; count < 20; count += 1) controller.enqueue(Buffer.alloc(20_000, 0x20));
        controller.close();
      },
    });
    const init = { method: 'POST', body: chunks, duplex: 'half' } as RequestInit;
    const status = await fetch(up.uri, init).then(
      (answer) => answer.status,
      () => 'closed',
    );
    expect([413, 'closed']).toContain(status);
  });

  test('a length of 50 MB is rejected before the body is sent', async () => {
    const { hostname, port, pathname } = new URL(up.uri);
    const socket = connect(Number(port), hostname);
    const answer = new Promise<string>((resolve, reject) => {
      socket.once('data', (data) => resolve(String(data).split('\r\n')[0] ?? ''));
      socket.once('close', () => resolve('closed'));
      socket.once('error', reject);
    });
    socket.write(`POST ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 52428800\r\n\r\n{`);
    const line = await Promise.race([answer, sleep(3_000, 'no answer')]);
    socket.destroy();
    expect(line).toMatch(/ 413 |closed/);
  });

  test.each(['gzip', 'br', 'deflate'])('a body compressed with %s is answered with 415', async (encoding) => {
    const body = gzipSync(JSON.stringify(notificationFor(up)));
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
    expect((await deliver(up.uri, '', { body, headers })).status).toBe(415);
  });

  test('an unknown token is answered with 404, whatever it looks like and whatever is sent with it', async () => {
    const own = up.uri.slice(up.uri.lastIndexOf('/') + 1);
    const flipped = `${own.slice(0, -1)}${own.endsWith('A') ? 'B' : 'A'}`;
    for (const token of [flipped, own.toLowerCase(), `${own}A`, 'x', '%00', '..%2f..', 'Ω'.repeat(9)]) {
      const answer = await deliver(withToken(up.uri, token), notificationFor(up));
      expect([token, answer.status]).toEqual([token, 404]);
    }
    expect((await fetch(withToken(up.uri, flipped))).status).toBe(404);
    const big = await deliver(withToken(up.uri, flipped), 'x'.repeat(300_000)).then(
      ({ status }) => status,
      () => 404,
    );
    expect([404, 413]).toContain(big);
  });
});

describe('removed subscriptions, outages, signatures and limits', () => {
  test('a removed token is answered with 410 for 30 days, and then with 404', async () => {
    const { channel, up: gone, owner } = await outside.following('/subscribe session 731-450-286');
    await outside.announced(owner, '/unsubscribe session 731-450-286', { channel, wanted: /removed/ });
    await until(
      () => stage.service.subscriptions.byId(gone.id) === undefined || undefined,
      () => 'the remote subscription still exists',
    );
    expect((await deliver(gone.uri, notificationFor(gone))).status).toBe(410);
    expect((await deliver(gone.uri, notificationFor(gone), { method: 'PUT' })).status).toBe(410);
    expect((await fetch(gone.uri)).status).toBe(410);
    expect((await fetch(gone.uri, { method: 'HEAD' })).status).toBe(410);
    for (const body of ['', '{"a', '{}', 'null', '[]']) {
      expect([body, (await deliver(gone.uri, body)).status]).toEqual([body, 410]);
    }
    expect(await outside.events(channel)).toEqual([]);
    stage.advance(29 * 86_400_000);
    expect((await deliver(gone.uri, notificationFor(gone))).status).toBe(410);
    stage.advance(2 * 86_400_000);
    expect((await deliver(gone.uri, notificationFor(gone))).status).toBe(404);
    expect((await deliver(gone.uri, '{"a')).status).toBe(404);
    expect((await deliver(up.uri, notificationFor(up))).status).toBe(200);
  });

  test('while notifications cannot be stored, they are quickly answered with 503 and Retry-After', async () => {
    const id = randomUUID();
    await outside.query('alter table plancast.events rename to events_away');
    try {
      const began = performance.now();
      const answer = await deliver(up.uri, notificationFor(up, { id }));
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(performance.now() - began).toBeLessThan(3_500);
    } finally {
      await outside.query('alter table plancast.events_away rename to events');
    }
    expect((await deliver(up.uri, notificationFor(up, { id }))).status).toBe(200);
    expect(await idsStored()).toContain(id);
  });

  test('while a long operation locks the table, 503 comes within the few seconds a sender waits', async () => {
    await outside.query("select set_config('lock_timeout', '0', false)");
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: stage.database.url });
    await client.connect();
    try {
      await client.query('begin');
      await client.query('lock table plancast.events in access exclusive mode');
      const began = performance.now();
      const answer = await deliver(up.uri, notificationFor(up));
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(performance.now() - began).toBeLessThan(5_500);
    } finally {
      await client.query('rollback');
      await client.end();
    }
  });

  test('ROLE=worker answers 404 here, ROLE=web accepts notifications', async () => {
    const url = stage.slack.botRequestUrl;
    const worker = await stage.addBot({ env: { ROLE: 'worker' } });
    const web = await stage.addBot({ env: { ROLE: 'web' } });
    stage.slack.botRequestUrl = url;
    const path = new URL(up.uri).pathname;
    const id = randomUUID();
    expect((await deliver(`${worker.publicUrl}${path}`, notificationFor(up, { id }))).status).toBe(404);
    expect((await fetch(`${worker.publicUrl}${path}`)).status).toBe(404);
    expect((await fetch(`${worker.publicUrl}/healthz`)).status).toBe(200);
    expect((await fetch(`${worker.publicUrl}/readyz`)).status).toBe(200);
    for (const route of ['/slack/events', '/slack/install', '/link/x', '/oauth/callback']) {
      expect((await fetch(`${worker.publicUrl}${route}`, { method: 'POST' })).status).toBe(404);
    }
    expect(await answerOf(await deliver(`${web.publicUrl}${path}`, notificationFor(up, { id })))).toEqual([
      200,
      '{}',
    ]);
  });

  test('under enforce a wrong or missing signature is 401 and nothing is stored; the right one is 200', async () => {
    const { createHmac } = await import('node:crypto');
    const url = stage.slack.botRequestUrl;
    const strict = await stage.addBot({ env: { SERVICE_SIGNATURE: 'enforce:X-Signature:sha256-hex' } });
    stage.slack.botRequestUrl = url;
    const uri = `${strict.publicUrl}${new URL(up.uri).pathname}`;
    const [bad, good] = [randomUUID(), randomUUID()];
    expect((await deliver(uri, notificationFor(up, { id: bad }))).status).toBe(401);
    const wrong = { 'content-type': 'application/json', 'x-signature': '0'.repeat(64) };
    expect((await deliver(uri, notificationFor(up, { id: bad }), { headers: wrong })).status).toBe(401);
    const body = JSON.stringify(notificationFor(up, { id: good }));
    const signature = createHmac('sha256', Buffer.from(up.key, 'hex')).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-signature': signature };
    expect(await answerOf(await deliver(uri, body, { headers }))).toEqual([200, '{}']);
    expect((await deliver(uri, `${body} `, { headers })).status).toBe(401);
    expect((await deliver(uri, [])).status).toBe(401);
    const stored = await idsStored();
    expect(stored).toContain(good);
    expect(stored).not.toContain(bad);
  });

  test('under enforce with the scheme key, the header is the Key', async () => {
    const url = stage.slack.botRequestUrl;
    const strict = await stage.addBot({ env: { SERVICE_SIGNATURE: 'enforce:X-Key:key' } });
    stage.slack.botRequestUrl = url;
    const uri = `${strict.publicUrl}${new URL(up.uri).pathname}`;
    const headers = { 'content-type': 'application/json', 'x-key': up.key };
    expect((await deliver(uri, notificationFor(up), { headers })).status).toBe(200);
    const wrong = { ...headers, 'x-key': up.key.replace(/.$/, up.key.endsWith('0') ? '1' : '0') };
    expect((await deliver(uri, notificationFor(up), { headers: wrong })).status).toBe(401);
  });

  test('each entry of an accepted list that is no notification, or one of another subscription, is counted, and the log says how many there were', async () => {
    const bot = await stage.addBot({ env: { METRICS_PORT: '9464' } });
    stage.slack.botRequestUrl = `${stage.bot.publicUrl}/slack/events`;
    const uri = `${bot.publicUrl}${new URL(up.uri).pathname}`;
    const counted = async (result: string) =>
      new RegExp(`^plancast_notifications_total\\{result="${result}"\\} (\\d+)`, 'm').exec(
        await bot.metrics().text(),
      )?.[1];
    const id = randomUUID();
    const list = [{ nothing: 'of ours' }, 7, notificationFor(up, { id }), null, notificationFor({ id: 7 })];

    expect((await deliver(uri, list)).status).toBe(200);

    expect(await idsStored()).toContain(id);
    const results = ['stored', 'not a notification', 'other subscription'];
    expect(await Promise.all(results.map(counted))).toEqual(['1', '3', '1']);
    const lines = log.split('\n').filter((line) => line.includes('entries of a list'));
    const ids = { team: stage.teamId, channel: channelId, person: expect.stringMatching(/^U/) };
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ level: 'warn', ...ids, skipped: 4 }),
    );
  });

  test('every notification to an unknown token is counted once, whether the database had to be asked or not', async () => {
    const { up: forgotten } = await outside.following('/subscribe session 731-450-286');
    await outside.query(
      'delete from plancast.subscriptions where id = (select subscription_id from plancast.remotes where service_id = $1)',
      [forgotten.id],
    );
    // Nothing listens on this port: it only makes the bot count.
    const bot = await stage.addBot({ env: { METRICS_PORT: '9464' } });
    stage.slack.botRequestUrl = `${stage.bot.publicUrl}/slack/events`;
    const uri = `${bot.publicUrl}${new URL(forgotten.uri).pathname}`;
    const counted = async () =>
      /^plancast_notifications_total\{result="unknown token"\} (\d+)/m.exec(await bot.metrics().text())?.[1];

    expect((await deliver(uri, notificationFor(forgotten))).status).toBe(404);
    expect(await counted()).toBe('1');
    expect((await deliver(withToken(uri, 'junk'), {})).status).toBe(404);
    expect((await deliver(withToken(uri, 'x'), {}, { method: 'PUT' })).status).toBe(404);
    expect(await counted()).toBe('3');
    // Somebody who only looks at the address does not notify.
    expect((await fetch(withToken(uri, 'junk'))).status).toBe(404);
    expect(await counted()).toBe('3');
  });

  test('a hundred unknown tokens from one address are each answered 404, even while the database cannot be asked', async () => {
    await outside.query('alter table plancast.subscriptions rename to subscriptions_away');
    const statuses = new Set<number>();
    try {
      for (let count = 0; count < 100; count += 1) {
        const method = ['POST', 'GET', 'HEAD', 'DELETE'][count % 4] ?? '';
        statuses.add((await fetch(withToken(up.uri, `junk${count}`), { method })).status);
      }
      expect((await fetch(up.uri)).status).toBe(503);
    } finally {
      await outside.query('alter table plancast.subscriptions_away rename to subscriptions');
    }
    expect(statuses).toEqual(new Set([404]));
    expect((await deliver(up.uri, notificationFor(up))).status).toBe(200);
  });
});
