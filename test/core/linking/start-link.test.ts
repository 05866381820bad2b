import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { authorizeAs } from '../../../sandbox/service/authorize-as.ts';
import { codeOn, headingOf, type Linking, minute, setUpLinking } from '../../support/linking.ts';

let world: Linking;

beforeAll(async () => {
  world = await setUpLinking({ name: 'start link' });
});
beforeEach(() => world.reset());
afterAll(() => world.stage.close());

const start = (person = world.dana) =>
  world.linking.startLink({ person, channelId: null, responseUrl: null, request: null });

test('I start thirty times at once: five links are made, and one of them works', async () => {
  const started = await Promise.all(Array.from({ length: 30 }, () => start()));
  const urls = started.flatMap((one) => ('url' in one ? one.url : []));
  expect(urls).toHaveLength(5);
  expect(new Set(urls).size).toBe(5);
  const pages = await Promise.all(urls.map((url) => world.openBrowser().open(url)));
  expect(pages.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(pages.filter((page) => headingOf(page) === 'This link was replaced')).toHaveLength(4);
});

test('I ask for a second link while I am at the service with the first: the first still works', async () => {
  const browser = world.openBrowser();
  const consent = await world.goToService(browser, await world.offer(world.dana));
  await world.offer(world.dana);
  expect(headingOf(await browser.open(await authorizeAs(consent, 'dana@example.com')))).toBe('You’re linked');
});

test('of two codes that I was shown, only the newer one works', async () => {
  const older = codeOn(await world.link(world.dana, 'sam@example.com'));
  const newer = codeOn(await world.link(world.dana, 'lee@example.com'));
  expect(await world.stored()).toEqual({ links: 0, tokens: 2 });
  expect(await world.linking.enterCode({ person: world.dana, code: older })).toEqual({
    kind: 'wrong',
    triesLeft: 4,
  });
  expect(await world.linking.enterCode({ person: world.dana, code: newer })).toMatchObject({
    account: 'lee@example.com',
  });
});

test.each(['', 'K7M2Q', 'K7M2QXX', 'K7M2QO', 'K7M2Q0', 'K7M2Q1', 'K7M2QI', 'K7M2Qé', 'K7M2Q\0'])(
  'I type %j: that is no code, and does not use up a try',
  async (typed) => {
    await world.link(world.dana, 'sam@example.com');
    expect(await world.linking.enterCode({ person: world.dana, code: typed })).toEqual({ kind: 'malformed' });
    expect(await world.linking.enterCode({ person: world.dana, code: 'AAAAAA' })).toMatchObject({
      triesLeft: 4,
    });
  },
);

test('a request that is itself about linking is not kept, because it could contain a code', async () => {
  await world.linking.startLink({
    person: world.dana,
    channelId: null,
    responseUrl: null,
    request: { act: 'link', code: 'K7M2QX' },
  });
  expect(await world.dump()).not.toContain('K7M2QX');
});

test('link attempts are deleted an hour after their end', async () => {
  const left = async (): Promise<number> => {
    await world.linking.cleanAttempts();
    return (await world.query('select from plancast.link_attempts')).rowCount ?? 0;
  };
  await world.link(world.dana, 'dana@example.com');
  await world.link(world.mallory, 'sam@example.com');
  world.advance(5 * minute);
  expect(await left()).toBe(2);
  expect(await world.stored()).toEqual({ links: 1, tokens: 2 });
  world.advance(60 * minute);
  expect(await left()).toBe(2);
  world.advance(1);
  expect(await left()).toBe(1);
  world.advance(5 * minute);
  expect(await left()).toBe(0);
});
