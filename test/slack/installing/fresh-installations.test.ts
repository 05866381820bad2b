import type { Installation } from '@slack/oauth';
import { WebAPIPlatformError } from '@slack/web-api';
import { beforeEach, expect, test } from 'vitest';
import { makeFreshInstallations } from '../../../src/slack/installing/installations.ts';
import { NotInstalledError, TokenUnavailableError } from '../../../src/slack/installing/web-clients.ts';
import { post } from '../../../src/slack/posting/post.ts';
import { slackApiAt } from '../../support/slack-api.ts';

const start = Date.parse('2026-11-22T09:00:00Z');
const hour = 3_600_000;
const bot = {
  token: 'first',
  refreshToken: 'refresh-1',
  expiresAt: start / 1_000 + 43_200,
  scopes: [],
  id: 'B1',
  userId: 'U2',
};
const installed: Installation = {
  team: { id: 'T1', name: 'Northwind' },
  enterprise: undefined,
  user: { token: undefined, scopes: undefined, id: 'U1' },
  isEnterpriseInstall: false,
  authVersion: 'v2',
  bot,
};

let stored: Installation | undefined;
let time: number;
let storeFails: number;
/** Refresh tokens, in the order in which Slack received them. */
let shown: string[];
let answer: (refreshToken: string) => Promise<{ token: string; refreshToken: string; expiresAt: number }>;
let lockIsLost: boolean;

beforeEach(() => {
  stored = installed;
  time = start;
  storeFails = 0;
  shown = [];
  lockIsLost = false;
  answer = async () => ({ token: 'second', refreshToken: 'refresh-2', expiresAt: time / 1_000 + 43_200 });
});

function makeFresh() {
  const fresh = makeFreshInstallations({
    installed: {
      get: async () => stored,
      set: async (_id, value) => {
        storeFails -= 1;
        if (storeFails >= 0) throw new Error('the database is away');
        stored = value;
      },
      deleteOld: async () => undefined,
    },
    lock: async (_name, work) => {
      const result = await work();
      if (lockIsLost) throw new Error('the connection was lost');
      return result;
    },
    refresh: (refreshToken) => {
      shown.push(refreshToken);
      return answer(refreshToken);
    },
    clock: { now: () => new Date(time) },
    monotonic: () => time,
    sleep: async () => {},
    log: { info() {}, warn() {} },
  });
  return async () =>
    (await fresh({ teamId: 'T1', enterpriseId: undefined, isEnterpriseInstall: false })).bot?.token;
}

const refusal = async () => {
  throw new WebAPIPlatformError({ ok: false, error: 'invalid_refresh_token' });
};
const outage = async () => {
  throw new Error('Slack does not answer');
};

test('a token is used unchanged until two hours before it expires, then it is refreshed, once for all callers', async () => {
  const token = makeFresh();
  time = start + 10 * hour - 1_000;
  expect(await token()).toBe('first');
  time += 2_000;
  expect(await Promise.all(Array.from({ length: 50 }, token))).toEqual(
    Array.from({ length: 50 }, () => 'second'),
  );
  expect(shown).toEqual(['refresh-1']);
});

test('the database is down when new tokens arrive: they are stored as soon as it is back', async () => {
  time = start + 13 * hour;
  storeFails = 2;
  expect(await makeFresh()()).toBe('second');
  expect(stored?.bot?.refreshToken).toBe('refresh-2');
  expect(shown).toEqual(['refresh-1']);
});

test('the lock is lost after the refresh: the new token is still used', async () => {
  time = start + 13 * hour;
  lockIsLost = true;
  expect(await makeFresh()()).toBe('second');
});

test('a token that is still valid is used while Slack is down, and Slack is asked once a minute', async () => {
  const token = makeFresh();
  answer = outage;
  time = start + 11 * hour;
  expect([await token(), await token(), await token()]).toEqual(['first', 'first', 'first']);
  expect(shown).toHaveLength(1);
  time += 61_000;
  expect(await token()).toBe('first');
  expect(shown).toHaveLength(2);
});

test('an expired token is not used: the message waits until Slack refreshes it', async () => {
  const token = makeFresh();
  answer = outage;
  time = start + 13 * hour;
  await expect(token()).rejects.toThrow(TokenUnavailableError);
  const identityOf = async () => {
    await token();
    throw new Error('not reached');
  };
  const channel = { enterpriseId: null, teamId: 'T1', channelId: 'C1' };
  expect(await post(slackApiAt({ apiUrl: '', identityOf }), channel, { text: 'x', blocks: [] })).toEqual({
    kind: 'wait',
    seconds: 10,
    error: 'token_refresh',
  });
});

test('Slack rejects the refresh token: the workspace counts as not installed until someone installs again', async () => {
  const token = makeFresh();
  answer = refusal;
  time = start + 11 * hour;
  expect(await token()).toBe('first');
  time = start + 13 * hour;
  await expect(token()).rejects.toThrow(NotInstalledError);
  stored = { ...installed, bot: { ...bot, token: 'again', expiresAt: time / 1_000 + 43_200 } };
  expect(await token()).toBe('again');
});

test('the bot is uninstalled while its token is refreshed: the token is not stored again', async () => {
  const token = makeFresh();
  time = start + 13 * hour;
  const asked = token();
  stored = undefined;
  await expect(asked).rejects.toThrow(NotInstalledError);
  expect(stored).toBeUndefined();
});
