import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { authorizeAs } from '../../../sandbox/service/authorize-as.ts';
import type { User } from '../../../sandbox/slack/directory.ts';
import { codeOn, headingOf, type Linking, minute, setUpLinking } from '../../support/linking.ts';

let world: Linking;

beforeAll(async () => {
  world = await setUpLinking({ name: 'replace link' });
});
beforeEach(() => world.reset());
afterAll(() => world.stage.close());

const refused = 'You’re linked to another account';

/** Types `/plancast link` and returns the URL behind the button with this label. */
async function typeLink(label: string): Promise<string> {
  const { slack, stage } = world;
  const user = slack.users.get(world.dana.userId) as User;
  const before = slack.ephemerals(user).length;
  await stage.type(user, '/plancast link');
  await expect.poll(() => slack.ephemerals(user).length).toBeGreaterThan(before);
  const offer = slack.ephemerals(user).at(-1);
  if (!offer) throw new Error('there is no offer');
  return String(slack.button(offer, label).element.url);
}

/** Opens a link, and signs in at the service with an account. */
async function signIn(url: string, account: string) {
  const browser = world.openBrowser();
  return browser.open(await authorizeAs(await world.goToService(browser, url), account));
}

const lastMessage = async () => (await world.messages(world.dana)).at(-1);
const linkedAccount = async () => (await world.links.of(world.dana))?.account;

test('I press Link another account, and its address is not mine in Slack: a code proves who I am before it replaces mine', async () => {
  await world.link(world.dana, 'dana@example.com');
  const code = codeOn(await signIn(await typeLink('Link another account'), 'lee@example.com'));
  expect(await linkedAccount()).toBe('dana@example.com');
  expect(await world.linking.enterCode({ person: world.dana, code })).toMatchObject({ state: 'active' });
  expect(await linkedAccount()).toBe('lee@example.com');
  await expect.poll(lastMessage).toContain('dana@example.com is no longer linked.');
});

test('I was offered to replace an account that is not linked any more: the one that is stays', async () => {
  await world.link(world.dana, 'dana@example.com');
  const browser = world.openBrowser();
  const older = await world.goToService(browser, await typeLink('Link another account'));
  const code = codeOn(await signIn(await typeLink('Link another account'), 'lee@example.com'));
  await world.linking.enterCode({ person: world.dana, code });
  expect(headingOf(await browser.open(await authorizeAs(older, 'sam@example.com')))).toBe(refused);
  expect(await linkedAccount()).toBe('lee@example.com');
});

test('my link stopped working: the command that I typed links only the same account, and /plancast link also another one', async () => {
  await world.link(world.dana, 'dana@example.com');
  await world.query(`update plancast.links set state = 'relink'`);
  expect(headingOf(await world.link(world.dana, 'lee@example.com'))).toBe(refused);
  const code = codeOn(await signIn(await typeLink('Link'), 'lee@example.com'));
  expect(await world.linking.enterCode({ person: world.dana, code })).toMatchObject({ state: 'active' });
});

test('I link the same account again: the tokens are new, and no account is said to be replaced', async () => {
  await world.link(world.dana, 'dana@example.com');
  const before = await world.links.of(world.dana);
  world.advance(minute);
  expect(headingOf(await world.link(world.dana, 'dana@example.com'))).toBe('You’re linked');
  const after = await world.links.of(world.dana);
  expect(after?.id).toBe(before?.id);
  expect(after?.refreshedAt.getTime()).toBe((before?.refreshedAt.getTime() ?? 0) + minute);
  expect((await world.messages(world.dana)).at(-1)).not.toContain('no longer linked');
});

test('two accounts without names are not taken for the same account, and one can replace the other if I ask for it', async () => {
  world.service.switches.set({ userName: 'missing' });
  const first = codeOn(await world.link(world.dana, 'dana@example.com'));
  expect(await world.linking.enterCode({ person: world.dana, code: first })).toMatchObject({
    state: 'active',
  });
  expect(headingOf(await world.link(world.dana, 'lee@example.com'))).toBe(refused);
  const second = codeOn(await signIn(await typeLink('Link another account'), 'lee@example.com'));
  world.service.switches.set({ userName: 'sent' });
  expect(await world.linking.enterCode({ person: world.dana, code: second })).toMatchObject({
    state: 'active',
  });
});

test('two browsers finish at the same moment with two accounts: one is linked, and the other changes nothing', async () => {
  const code = codeOn(await world.link(world.dana, 'sam@example.com'));
  const [entered, page] = await Promise.all([
    world.linking.enterCode({ person: world.dana, code }),
    world.link(world.dana, 'dana@example.com'),
  ]);
  expect([
    ['linked', refused],
    ['refused', 'You’re linked'],
  ]).toContainEqual(['kind' in entered ? 'refused' : 'linked', headingOf(page)]);
  expect(await linkedAccount()).toBe('kind' in entered ? 'dana@example.com' : 'sam@example.com');
  expect(await world.stored()).toEqual({ links: 1, tokens: 2 });
});

test('I type a code after another account was linked: it is refused, its tokens are deleted, and the page says why', async () => {
  const browser = world.openBrowser();
  const consent = await world.goToService(browser, await world.offer(world.dana));
  const code = codeOn(await browser.open(await authorizeAs(consent, 'sam@example.com')));
  await world.link(world.dana, 'dana@example.com');
  expect(await world.linking.enterCode({ person: world.dana, code })).toEqual({ kind: 'other account' });
  expect(await world.stored()).toEqual({ links: 1, tokens: 2 });
  expect(headingOf(await browser.open('/linked'))).toBe(refused);
});

test('an older release was asking me which account to use: the page says how to start again, and the tokens go', async () => {
  const browser = world.openBrowser();
  const consent = await world.goToService(browser, await world.offer(world.dana));
  await browser.open(await authorizeAs(consent, 'sam@example.com'));
  await world.query(`update plancast.link_attempts set step = 'replacing'`);
  const page = await browser.open('/linked');
  expect(headingOf(page)).toBe('This sign-in is over');
  expect(page.text).toContain('Type <kbd>/plancast link</kbd> in Slack to start again');
  world.advance(10 * minute);
  await world.linking.cleanAttempts();
  expect(await world.stored()).toEqual({ links: 0, tokens: 0 });
});
