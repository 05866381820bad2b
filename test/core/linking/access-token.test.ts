import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { authorizeAs } from '../../../sandbox/service/authorize-as.ts';
import type { Bot } from '../../../src/core/bot.ts';
import {
  type AccessTokenOptions,
  accessTokenFor,
  makeRenewals,
} from '../../../src/core/linking/access-tokens.ts';
import type { Db } from '../../../src/store/sql.ts';
import { linkDirectly } from '../../support/link-directly.ts';
import { type Linking, minute, setUpLinking } from '../../support/linking.ts';
import { sessionsAtLocks } from '../../support/postgres.ts';

let world: Linking;
let linkId: string;

beforeAll(async () => {
  world = await setUpLinking({ name: 'access token' });
});
beforeEach(async () => {
  world.service.switches.set({ refreshAnswer: 'new refresh token', expiresIn: 'number' });
  await world.reset();
  // Without what follows a link: its first check would use its tokens meanwhile.
  linkId = await linkDirectly(world.core, world.dana, 'dana@example.com');
  world.service.log.clear();
});
afterAll(() => world.stage.close());

/** The messages that asked Dana to link again. */
const asked = () => world.relinkRequests(world.dana);

type OAuth = Bot['service']['oauth'];

/** Access tokens of a process of the bot of which some parts are others. */
function accessTokensWith({ refresh, ...parts }: Partial<Bot> & Partial<Pick<OAuth, 'refresh'>>) {
  const { bot, oauth } = world.core;
  const inProcess = { ...bot.inProcess, renewals: makeRenewals() };
  const service = { ...bot.service, oauth: { ...oauth, refresh: refresh ?? oauth.refresh } };
  return (id: string) => accessTokenFor({ ...bot, inProcess, service, ...parts }, id);
}

/** Returns the access token; throws if there is none. */
async function tokenOf(options?: AccessTokenOptions): Promise<string> {
  const answer = await world.linking.accessTokenFor(linkId, options);
  if (answer.outcome !== 'token') throw new Error(`there is no token: ${answer.outcome}`);
  return answer.accessToken;
}

function refreshesAtService(): number {
  return world.service.log.of('token').filter(({ grant }) => grant === 'refresh_token').length;
}

async function isGood(accessToken: string): Promise<boolean> {
  const answer = await fetch(`${world.service.baseUrl}/notifications/subscriptions`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  return answer.status === 200;
}

test('a token is returned unchanged until 5 minutes before it expires, give or take half a minute', async () => {
  const first = await tokenOf();
  world.advance(54 * minute + 29_000);
  expect(await tokenOf()).toBe(first);
  expect(refreshesAtService()).toBe(0);

  world.advance(62_000);
  const second = await tokenOf();
  expect(second).not.toBe(first);
  expect(refreshesAtService()).toBe(1);
  expect(await isGood(second)).toBe(true);
  expect(await tokenOf()).toBe(second);
  expect(refreshesAtService()).toBe(1);
});

test('many callers in one process share one refresh', async () => {
  world.advance(56 * minute);
  const tokens = await Promise.all(Array.from({ length: 50 }, () => tokenOf()));
  expect(new Set(tokens).size).toBe(1);
  expect(refreshesAtService()).toBe(1);
});

test('the service rejects a token with 401: it is refreshed once, even if many callers were rejected', async () => {
  const refused = await tokenOf();
  const tokens = await Promise.all(Array.from({ length: 20 }, () => tokenOf({ refused })));
  expect(new Set(tokens).size).toBe(1);
  expect(tokens[0]).not.toBe(refused);
  expect(refreshesAtService()).toBe(1);
  // A caller that was rejected earlier and arrives late gets the new token and does not cause another refresh.
  expect(await tokenOf({ refused })).toBe(tokens[0]);
  expect(refreshesAtService()).toBe(1);
});

test('I revoked my grant at the service: I am asked once to link again, and no token is kept', async () => {
  world.service.revoke('dana@example.com');
  world.advance(56 * minute);
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => world.linking.accessTokenFor(linkId)));
  expect(outcomes).toEqual(Array.from({ length: 10 }, () => ({ outcome: 'relink' })));
  expect(await world.linking.accessTokenFor(linkId)).toEqual({ outcome: 'relink' });
  expect(await world.links.of(world.dana)).toMatchObject({ state: 'relink', account: 'dana@example.com' });
  expect(await world.stored()).toEqual({ links: 1, tokens: 0 });
  expect(await asked()).toEqual([expect.stringContaining('Link again')]);

  await world.link(world.dana, 'dana@example.com');
  expect(await world.links.of(world.dana)).toMatchObject({ id: linkId, state: 'active' });
  expect(await isGood(await tokenOf())).toBe(true);
});

test('Slack is down when I have to link again: I am asked once it is up', async () => {
  world.service.revoke('dana@example.com');
  world.advance(56 * minute);
  const outage = await world.slackGoesDown();
  expect(await world.linking.accessTokenFor(linkId)).toEqual({ outcome: 'relink' });
  outage.clear();
  world.advance(10 * minute);
  expect(await asked()).toHaveLength(1);
});

test('each refresh is counted by how it ended', async () => {
  const counted: string[] = [];
  const { metrics } = world.core.bot;
  const accessTokenFor = accessTokensWith({
    metrics: { ...metrics, refresh: (result) => void counted.push(result) },
  });
  world.advance(56 * minute);
  await accessTokenFor(linkId);
  world.advance(61 * minute);
  const fault = world.service.faults.set({ endpoint: 'token', kind: 'answer', status: 503 });
  await expect(accessTokenFor(linkId)).rejects.toMatchObject({ kind: 'unavailable' });
  fault.remove();
  world.service.revoke('dana@example.com');
  await accessTokenFor(linkId);
  expect(counted).toEqual(['refreshed', 'failed', 'relink']);
});

test('the service is down: the token is returned until it expires, then the error is thrown', async () => {
  const first = await tokenOf();
  const fault = world.service.faults.set({ endpoint: 'token', kind: 'answer', status: 503 });
  world.advance(56 * minute);
  expect(await tokenOf()).toBe(first);
  await expect(tokenOf({ refused: first })).rejects.toMatchObject({
    name: 'ServiceError',
    kind: 'unavailable',
  });
  world.advance(5 * minute);
  await expect(tokenOf()).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await world.links.of(world.dana)).toMatchObject({ state: 'active' });

  fault.remove();
  expect(await isGood(await tokenOf())).toBe(true);
  expect(world.service.log.of('revocation')).toEqual([]);
});

test.each([
  ['429', { kind: 'answer', status: 429, retryAfter: 30 }, 'rate-limited'],
  [
    'a bot that the service does not know',
    { kind: 'answer', status: 401, body: '{"error":"invalid_client"}', contentType: 'application/json' },
    'forbidden',
  ],
  ['text instead of JSON', { kind: 'invalid JSON' }, 'unreadable'],
  ['a connection closed before the answer', { kind: 'reset' }, 'unavailable'],
] as const)("a fault that is not the link's own never ends a link: %s", async (_what, fault, kind) => {
  world.advance(61 * minute);
  const set = world.service.faults.set({ endpoint: 'token', ...fault });
  await expect(tokenOf()).rejects.toMatchObject({ kind });
  set.remove();
  expect(await isGood(await tokenOf())).toBe(true);
  expect(await asked()).toEqual([]);
});

test('the answer was lost after the service had refreshed: one retry, then I am asked once to link again', async () => {
  world.advance(61 * minute);
  world.service.faults.set({ endpoint: 'token', kind: 'reset', committed: true, times: 1 });
  await expect(tokenOf()).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await world.linking.accessTokenFor(linkId)).toEqual({ outcome: 'relink' });
  expect(await asked()).toHaveLength(1);
});

test('a token that lives for two minutes is not refreshed at every call', async () => {
  world.advance(56 * minute);
  const body = JSON.stringify({
    access_token: 'short',
    refresh_token: 'r',
    token_type: 'bearer',
    expires_in: 120,
  });
  const fault = world.service.faults.set({
    endpoint: 'token',
    kind: 'answer',
    status: 200,
    body,
    contentType: 'application/json',
  });
  for (let call = 0; call < 10; call++) expect(await tokenOf()).toBe('short');
  expect(fault.hits()).toBe(1);
  world.advance(61_000);
  await tokenOf();
  expect(fault.hits()).toBe(2);
});

test('the first answer has no refresh token: I am linked, and asked to link again when the access token expires', async () => {
  await world.reset();
  const page = await (async () => {
    const browser = world.openBrowser();
    const consent = await world.goToService(browser, await world.offer(world.dana));
    const callback = await authorizeAs(consent, 'dana@example.com');
    const body = JSON.stringify({
      access_token: 'only-access',
      token_type: 'bearer',
      userName: 'dana@example.com',
    });
    world.service.faults.set({
      endpoint: 'token',
      kind: 'answer',
      status: 200,
      body,
      contentType: 'application/json',
      times: 1,
    });
    return browser.open(callback);
  })();
  expect(page.status).toBe(200);
  linkId = (await world.links.of(world.dana))?.id ?? '';
  expect(await tokenOf()).toBe('only-access');
  world.advance(56 * minute);
  expect(await world.linking.accessTokenFor(linkId)).toEqual({ outcome: 'relink' });
  expect(await asked()).toHaveLength(1);
});

test('the refresh token is rejected, but another process has stored a new one meanwhile: the new one is used', async () => {
  world.advance(56 * minute);
  let theirs: Promise<boolean> | undefined;
  const accessTokenFor = accessTokensWith({
    refresh: async (refreshToken) => {
      // What another process does as soon as it has the lock.
      const now = world.core.clock.now();
      const accessExpiresAt = new Date(now.getTime() + 60 * minute);
      const tokens = {
        accessToken: 'theirs',
        refreshToken: 'theirs too',
        accessExpiresAt,
        refreshExpiresAt: null,
      };
      theirs ??= world.links.replaceSpent(world.core.sealing, linkId, refreshToken, { tokens, now });
      await expect.poll(() => sessionsAtLocks(world.stage.database.connect().pool)).toBe(1);
      return world.core.oauth.refresh(refreshToken);
    },
  });
  world.service.revoke('dana@example.com');
  expect(await accessTokenFor(linkId)).toEqual({ outcome: 'token', accessToken: 'theirs' });
  expect(await theirs).toBe(true);
  expect(await asked()).toEqual([]);
  expect(await world.links.of(world.dana)).toMatchObject({ state: 'active' });
});

test("the database connection is lost between the service's answer and the commit: the new tokens are stored anyway", async () => {
  world.advance(56 * minute);
  const fault = world.service.faults.set({ endpoint: 'token', kind: 'delay', ms: 300 });
  const token = tokenOf();
  await expect.poll(() => fault.hits()).toBe(1);
  await world.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and state = 'idle in transaction'`,
  );
  const accessToken = await token;
  expect(await isGood(accessToken)).toBe(true);
  expect(refreshesAtService()).toBe(1);

  fault.remove();
  expect(await tokenOf()).toBe(accessToken);
  world.advance(56 * minute);
  expect(await isGood(await tokenOf())).toBe(true);
  expect(world.service.log.of('reuse')).toEqual([]);
});

test("two links never get each other's tokens, and sealed text from one row does not open in another row", async () => {
  const other = world.newPerson('lee');
  const otherId = await linkDirectly(world.core, other, 'lee@example.com');
  const theirs = await world.linking.accessTokenFor(otherId);
  expect(theirs).not.toEqual({ outcome: 'token', accessToken: await tokenOf() });

  await world.query(
    `update plancast.links a set sealed_access_token = b.sealed_access_token, sealed_refresh_token = b.sealed_refresh_token
     from plancast.links b where a.id <> b.id`,
  );
  await expect(tokenOf()).rejects.toMatchObject({ name: 'UnsealError' });
  await expect(world.linking.accessTokenFor(otherId)).rejects.toMatchObject({ name: 'UnsealError' });
});

test('at most two refreshes run at once, and no connection waits for a third', async () => {
  const ids: string[] = [];
  for (const name of ['sam', 'lee', 'noor', 'dana']) {
    ids.push(await linkDirectly(world.core, world.newPerson(name), `${name}@example.com`));
  }
  world.advance(56 * minute);
  world.service.faults.set({ endpoint: 'token:refresh_token', kind: 'delay', ms: 150 });
  let underWay = 0;
  let most = 0;
  const accessTokenFor = accessTokensWith({
    refresh: async (refreshToken) => {
      underWay += 1;
      most = Math.max(most, underWay);
      const answer = await world.core.oauth.refresh(refreshToken);
      underWay -= 1;
      return answer;
    },
  });
  const answers = await Promise.all(ids.map((id) => accessTokenFor(id)));
  expect(answers.every(({ outcome }) => outcome === 'token')).toBe(true);
  expect(most).toBe(2);
});

test('another process holds the row longer than the lock timeout: its tokens are used', async () => {
  world.advance(56 * minute);
  const elsewhere = await world.stage.addCore();
  world.service.faults.set({ endpoint: 'token:refresh_token', kind: 'delay', ms: 200 });
  const { db } = world.core.bot;
  let turns = 0;
  const transaction: Db['transaction'] = () => {
    turns += 1;
    if (turns > 1) return db.transaction();
    // The first attempt ends as if it had timed out waiting for the lock.
    const timedOut = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
    return { execute: () => Promise.reject(timedOut) } as never;
  };
  const slowDb = new Proxy(db, {
    get: (pool, name) => {
      if (name === 'transaction') return transaction;
      const member: unknown = Reflect.get(pool, name);
      return typeof member === 'function' ? member.bind(pool) : member;
    },
  });
  const accessTokenFor = accessTokensWith({ db: slowDb });
  const theirs = elsewhere.linking.accessTokenFor;
  const [one, other] = await Promise.all([accessTokenFor(linkId), theirs(linkId)]);
  expect(one).toEqual(other);
  expect(turns).toBe(2);
  expect(refreshesAtService()).toBe(1);
});
