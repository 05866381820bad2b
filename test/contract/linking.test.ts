import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorizeAs } from '../../sandbox/service/authorize-as.ts';
import type { User } from '../../sandbox/slack/directory.ts';
import { findElements, labelOf } from '../../sandbox/slack/find-elements.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { lookFromOutside, type Outside, until } from './outside.ts';

let stage: Stage;
let outside: Outside;
beforeAll(async () => {
  stage = await setStage({ name: 'linking from outside' });
  outside = lookFromOutside(stage);
});
afterAll(async () => {
  await outside.close();
  await stage.close();
});

const project = '412-873-550';
const codeIn = (page: string) => /\b[ABCDEFGHJKLMNPQRSTUVWXYZ23456789]{6}\b(?=<)/.exec(page)?.[0] ?? '';
const linkUrl = (message: Message) => String(stage.slack.button(message, 'Link').element.url);
const textOf = (message: Message) => stage.slack.textOf(message);
const cookieOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
const linkedPage = async (cookie: string) =>
  (await fetch(`${stage.bot.publicUrl}/linked`, { headers: { cookie } })).text();

/** Links in a browser. Returns its cookie, and the page that it shows last. */
async function linkWithCookie(url: string, email: string): Promise<{ cookie: string; page: string }> {
  const form = { origin: stage.bot.publicUrl, 'content-type': 'application/x-www-form-urlencoded' };
  const sent = await fetch(url, { method: 'POST', redirect: 'manual', headers: form });
  const back = await authorizeAs(String(sent.headers.get('location')), email);
  const headers = { cookie: cookieOf(sent) };
  const cookie = cookieOf(await fetch(back, { headers, redirect: 'manual' }));
  return { cookie, page: await linkedPage(cookie) };
}
const linksOf = (user: User) => outside.query('select * from plancast.links where user_id = $1', [user.id]);

test('a person who is not linked gets, as the private reply to the command, a Link button with a URL and an Enter code button', async () => {
  const nia = await outside.member({ email: 'dana@example.com', realName: 'Nia' });
  const channel = outside.channel();
  const offer = await outside.ask(nia, `/subscribe project ${project}`, { channel });
  expect(linkUrl(offer)).toMatch(new RegExp(`^${stage.bot.publicUrl}/link/[\\w-]+$`));
  expect(() => stage.slack.button(offer, 'Enter code')).not.toThrow();
  expect(offer.via).toMatch(/response_url|command/);
  expect(stage.slack.messages(channel)).toEqual([]);
  expect(stage.service.subscriptions.all()).toEqual([]);
});

test('when linking is done, the typed command runs automatically, and only once even if the browser repeats requests', async () => {
  const nia = await outside.member({ email: 'dana@example.com', realName: 'Nia Once' });
  const channel = outside.channel();
  const offer = await outside.ask(nia, `/subscribe project ${project} only create`, { channel });
  const sent = await fetch(linkUrl(offer), {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: stage.bot.publicUrl, 'content-type': 'application/x-www-form-urlencoded' },
  });
  const cookie = cookieOf(sent);
  const back = await authorizeAs(String(sent.headers.get('location')), 'dana@example.com');
  const pages = await Promise.all([1, 2, 3].map(() => fetch(back, { headers: { cookie } })));
  await Promise.all(pages.map((page) => page.text()));
  await stage.slack.waitForMessage(channel, /Nia Once added.*412-873-550/s);
  await (await fetch(back, { headers: { cookie } })).text();
  const creates = stage.service.log
    .of('request')
    .filter(({ method, path }) => method === 'POST' && path.includes('/subscriptions'));
  expect(creates).toHaveLength(1);
  // The channel's messages are posted in order, so a second run would be announced before this.
  await outside.announced(nia, '/subscribe session 731-450-286', { channel, wanted: /731-450-286/ });
  expect(stage.slack.messages(channel)).toHaveLength(2);
});

test('everything I typed before I was linked runs once, in order, whichever offer I used', async () => {
  const nia = await outside.member({ email: 'dana@example.com', realName: 'Nia Waiting' });
  const [one, other] = [outside.channel(), outside.channel()];
  await outside.ask(nia, `/subscribe project ${project}`, { channel: one });
  await outside.ask(nia, `/subscribe project ${project} only create`, { channel: one });
  await outside.ask(nia, `/subscribe project ${project} only create`, { channel: one });
  await outside.ask(nia, '/subscribe session 731-450-286', { channel: other });
  const offer = await outside.ask(nia, '/plancast link');
  await stage.linkInBrowser(linkUrl(offer), 'dana@example.com');
  await stage.slack.waitForMessage(one, 'Nia Waiting changed');
  await stage.slack.waitForMessage(other, 'Nia Waiting added');
  expect(stage.slack.messages(one).map(textOf)).toEqual([
    expect.stringContaining('Nia Waiting added'),
    expect.stringContaining('Nia Waiting changed'),
  ]);
  expect(stage.slack.messages(other)).toHaveLength(1);
});

test('once I am linked, the offer whose Link button I pressed says so and loses its buttons; one I did not press stays', async () => {
  const nia = await outside.member({ email: 'dana@example.com', realName: 'Nia Pressing' });
  const unpressed = await outside.ask(nia, '/plancast link');
  const offer = await outside.ask(nia, '/plancast link');
  await stage.slack.click({ user: nia, message: offer, element: stage.slack.button(offer, 'Link') });
  await expect
    .poll(() => outside.query("select value from plancast.keyv where key like 'sealed.link-offers:%'", []))
    .toHaveLength(1);
  const kept = JSON.stringify(await outside.query('select value from plancast.keyv', []));
  expect(kept).not.toContain('/response');
  const page = await stage.linkInBrowser(linkUrl(offer), 'dana@example.com');
  expect(page).toContain('You’re linked');
  await expect.poll(() => textOf(offer)).toMatch(/You’re linked to .* as dana@example\.com/);
  expect(findElements(offer.blocks)).toEqual([]);
  expect(stage.slack.button(unpressed, 'Link')).toBeDefined();
  expect(
    await outside.query("select value from plancast.keyv where key like 'sealed.link-offers:%'", []),
  ).toEqual([]);
});

test('Ravi, whose addresses differ, types the 6-character code with /plancast link CODE, and his command runs', async () => {
  const ravi = await outside.member({ email: 'ravi@elsewhere.example', realName: 'Ravi One' });
  const channel = outside.channel();
  const offer = await outside.ask(ravi, `/subscribe project ${project}`, { channel });
  const page = await stage.linkInBrowser(linkUrl(offer), 'sam@example.com');
  const code = codeIn(page);
  expect(code).toMatch(/^[ABCDEFGHJKLMNPQRSTUVWXYZ23456789]{6}$/);
  expect(await linksOf(ravi)).toEqual([]);
  expect(textOf(await outside.ask(ravi, '/plancast status', { channel }))).toMatch(/not linked/);
  await stage.type(ravi, `/plancast link ${code}`, channel);
  await stage.slack.waitForMessage(channel, /Ravi One added.*412-873-550/s);
  expect(textOf(await outside.ask(ravi, '/plancast status', { channel }))).toContain('sam@example.com');
});

test('the code can be typed in lowercase, and into the form behind the Enter code button', async () => {
  const ravi = await outside.member({ email: 'ravi2@elsewhere.example', realName: 'Ravi Two' });
  const channel = outside.channel();
  const offer = await outside.ask(ravi, `/subscribe project ${project}`, { channel });
  const code = codeIn(await stage.linkInBrowser(linkUrl(offer), 'sam@example.com'));
  await stage.slack.click({
    user: ravi,
    message: offer,
    element: stage.slack.button(offer, 'Enter code'),
  });
  const view = await stage.slack.waitForView(ravi, /code/i);
  const input = findElements(view.blocks).find(({ element }) => element.type === 'plain_text_input');
  const sent = await stage.slack.submitView({
    user: ravi,
    values: { [input?.actionId ?? '']: code.toLowerCase() },
  });
  expect(sent).toMatchObject({ status: 200, errors: {} });
  await stage.slack.waitForMessage(channel, /Ravi Two added.*412-873-550/s);
  // The offer is used up and must not keep its buttons on the screen.
  await expect.poll(() => textOf(offer)).toContain('You’re linked');
  expect(findElements(offer.blocks)).toEqual([]);
});

test("another person's code does not link me", async () => {
  const ravi = await outside.member({ email: 'ravi3@elsewhere.example', realName: 'Ravi Three' });
  const mallory = await outside.member({ email: 'mallory@elsewhere.example', realName: 'Mallory' });
  const offer = await outside.ask(ravi, '/plancast link');
  const code = codeIn(await stage.linkInBrowser(linkUrl(offer), 'sam@example.com'));
  await outside.ask(mallory, `/plancast link ${code}`);
  expect(await linksOf(mallory)).toEqual([]);
  expect(await linksOf(ravi)).toEqual([]);
});

test('/plancast status names the linked account', async () => {
  const dana = await outside.member({ account: 'dana@example.com' });
  expect(textOf(await outside.ask(dana, '/plancast status'))).toContain('dana@example.com');
});

test('/plancast link while linked names the account and offers to replace it; who signs in to another account then is linked to that', async () => {
  const dana = await outside.member({ account: 'dana@example.com', realName: 'Dana Twice' });
  const accounts = async () => (await linksOf(dana)).map(({ account }) => account);
  const offer = await outside.ask(dana, '/plancast link');
  expect(textOf(offer)).toContain('dana@example.com');
  const other = findElements(offer.blocks).find(({ element }) => String(element.url).includes('/link/'));
  expect(other && labelOf(other)).toBe('Link another account');
  const page = await stage.linkInBrowser(String(other?.element.url), 'lee@example.com');
  expect(await accounts()).toEqual(['dana@example.com']);
  await outside.ask(dana, `/plancast link ${codeIn(page)}`);
  expect(await accounts()).toEqual(['lee@example.com']);
  expect(textOf(await outside.ask(dana, '/plancast status'))).toContain('lee@example.com');
});

test('a code from an older sign-in, typed after a link was made, does not replace the link without asking', async () => {
  const dana = await outside.member({ email: 'dana@example.com', realName: 'Dana Two' });
  const late = await outside.ask(dana, '/subscribe session 731-450-286');
  const page = await stage.linkInBrowser(linkUrl(late), 'lee@example.com');
  await outside.link(dana, 'dana@example.com');
  await outside.ask(dana, `/plancast link ${codeIn(page)}`);
  expect((await linksOf(dana)).map(({ account }) => account)).toEqual(['dana@example.com']);
});

test('/plancast unlink lists what stops and asks; "no" changes nothing, "yes" stops it here and at the service', async () => {
  const dana = await outside.member({ account: 'dana@example.com', realName: 'Dana Leaves' });
  const { channel, up } = await outside.following(`/subscribe project ${project}`, { owner: dana });
  const question = await outside.ask(dana, '/plancast unlink');
  expect(textOf(question)).toContain(project);
  expect(textOf(question)).toContain(`<#${channel.id}>`);
  await stage.slack.click({
    user: dana,
    message: question,
    element: stage.slack.button(question, 'Keep the link'),
  });
  expect(await linksOf(dana)).toHaveLength(1);
  expect(stage.service.subscriptions.byId(up.id)).toBeDefined();
  const again = await outside.ask(dana, '/plancast unlink');
  await stage.slack.click({ user: dana, message: again, element: stage.slack.button(again, 'Unlink') });
  await until(
    async () => (await linksOf(dana)).length === 0 || undefined,
    () => 'still linked',
  );
  await until(
    () => stage.service.subscriptions.byId(up.id) === undefined || undefined,
    () => 'the remote subscription still exists',
  );
  expect(textOf(await outside.ask(dana, '/plancast status'))).toMatch(/not linked/);
  const list = await outside.ask(dana, '/subscriptions', { channel });
  expect(textOf(list)).not.toMatch(/working/);
});

test('/plancast unlink when not linked says so', async () => {
  const nobody = await outside.member({ email: 'nobody@elsewhere.example' });
  expect(textOf(await outside.ask(nobody, '/plancast unlink'))).toMatch(/not linked/);
});

test('a person who must link again gets the Link button as the reply to the command, and the command runs afterwards', async () => {
  const lee = await outside.member({ account: 'lee@example.com', realName: 'Lee Again' });
  stage.service.revoke('lee@example.com');
  stage.advance(61 * 60_000);
  const channel = outside.channel();
  const offer = await outside.ask(lee, `/subscribe project ${project}`, { channel, wanted: /Link/ });
  await stage.linkInBrowser(linkUrl(offer), 'lee@example.com');
  await stage.slack.waitForMessage(channel, /Lee Again added.*412-873-550/s);
});

test('a person who says no at the service sees what went wrong and what to do next, and nothing is linked', async () => {
  const shy = await outside.member({ email: 'dana@example.com', realName: 'Shy' });
  const offer = await outside.ask(shy, `/subscribe project ${project}`);
  const page = await stage.linkInBrowser(linkUrl(offer), 'dana@example.com', 'deny');
  expect(page).toMatch(/again|link/i);
  expect(await linksOf(shy)).toEqual([]);
});

test.each([
  [
    'invalid_scope',
    'Linking needs your admin',
    'Ask your Plancast admin to fix SERVICE_SCOPES. After that, type /plancast link in Slack.',
  ],
  [
    'server_error',
    'The service isn’t available',
    'Nothing was linked. Wait a few minutes, then type /plancast link in Slack.',
  ],
  [
    'odd_error',
    'Linking failed',
    'was “odd_error”. Type /plancast link in Slack to start again. If it fails again, contact your Plancast admin.',
  ],
])(
  'the service answers %s: the page says what happened, and what to do in which order',
  async (error, title, todo) => {
    const una = await outside.member({ realName: `Una ${error}` });
    const url = linkUrl(await outside.ask(una, '/plancast link'));
    const sent = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: new URL(url).origin, 'content-type': 'application/x-www-form-urlencoded' },
    });
    const { searchParams } = new URL(sent.headers.get('location') ?? '');
    const back = new URL(searchParams.get('redirect_uri') ?? '');
    back.search = new URLSearchParams({ error, state: searchParams.get('state') ?? '' }).toString();
    const page = await (await fetch(back, { headers: { cookie: cookieOf(sent) } })).text();
    const words = page.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
    expect(words).toContain(title);
    expect(words).toContain(todo);
  },
);

test('the last page names nobody to a browser that did not link, and to the one that did after 10 minutes', async () => {
  const late = await outside.member({ email: 'dana@example.com', realName: 'Nia Late' });
  const url = linkUrl(await outside.ask(late, '/plancast link'));
  const { cookie, page } = await linkWithCookie(url, 'dana@example.com');
  expect(page).toContain('Nia Late');
  expect(await linkedPage(cookie)).toContain('Nia Late');
  for (const other of ['', 'link=guessed', `link=${'a'.repeat(43)}`]) {
    const stranger = await linkedPage(other);
    expect(stranger).not.toMatch(/Nia Late|dana@/);
    expect(stranger).toContain('Open Slack');
  }
  stage.advance(10 * 60_000 + 1_000);
  expect(await linkedPage(cookie)).not.toMatch(/Nia Late|dana@/);
});

test('the last page shows the code until I type it, and then that I am linked', async () => {
  const ravi = await outside.member({ email: 'ravi4@elsewhere.example', realName: 'Ravi Reloads' });
  const url = linkUrl(await outside.ask(ravi, '/plancast link'));
  const { cookie, page } = await linkWithCookie(url, 'sam@example.com');
  const code = codeIn(page);
  expect(codeIn(await linkedPage(cookie))).toBe(code);
  await outside.ask(ravi, `/plancast link ${code}`, { wanted: /linked/ });
  const after = await linkedPage(cookie);
  expect(after).not.toContain(code);
  expect(after).toContain('Ravi Reloads');
});

test('the last page shows the code for 5 minutes, and then what to do', async () => {
  const ravi = await outside.member({ email: 'ravi5@elsewhere.example' });
  const url = linkUrl(await outside.ask(ravi, '/plancast link'));
  const { cookie, page } = await linkWithCookie(url, 'sam@example.com');
  stage.advance(5 * 60_000);
  const late = await linkedPage(cookie);
  expect(late).not.toContain(codeIn(page));
  expect(late).toContain('/plancast status');
});

test('the page of an expired link answers 410; its button sends a new link in a direct message, with my command, and nothing to the browser', async () => {
  const nia = await outside.member({ email: 'dana@example.com', realName: 'Nia Slow' });
  const channel = outside.channel();
  const old = linkUrl(await outside.ask(nia, `/subscribe project ${project}`, { channel }));
  stage.advance(10 * 60_000);
  const page = await fetch(old);
  expect(page.status).toBe(410);
  const [, action = ''] =
    /<form method="post" action="([^"]*)"><button[^>]*>Send me a new link</.exec(await page.text()) ?? [];
  const sent = await fetch(new URL(action, old), {
    method: 'POST',
    headers: { origin: stage.bot.publicUrl },
  });
  expect(sent.status).toBe(200);
  const text = await sent.text();
  expect(text).toContain('Open Slack');
  expect(text).not.toMatch(/Nia|dana|\/link\/[\w-]{22}/);
  const offer = await stage.slack.waitForDirectMessage(nia, (message) =>
    textOf(message).includes('new link'),
  );
  await stage.linkInBrowser(linkUrl(offer), 'dana@example.com');
  await stage.slack.waitForMessage(channel, /Nia Slow added.*412-873-550/s);
  stage.advance(60 * 60_000);
  expect((await fetch(old)).status).toBe(404);
});

test('after five link starts in ten minutes, the sixth says privately in how many seconds to try again', async () => {
  const eager = await outside.member({ email: 'eager@elsewhere.example' });
  for (let count = 0; count < 5; count += 1) {
    expect(textOf(await outside.ask(eager, '/plancast link'))).toContain('Link');
  }
  const refusal = textOf(await outside.ask(eager, '/plancast link'));
  expect(refusal).toMatch(/try again in \d+ (seconds|minutes)/);
  const nia = await outside.member({ email: 'nia@elsewhere.example' });
  expect(textOf(await outside.ask(nia, '/plancast link'))).toContain('Link');
  stage.advance(10 * 60_000 + 1_000);
  expect(textOf(await outside.ask(eager, '/plancast link'))).toContain('Enter code');
});

test('after thirty commands in a minute, the next says privately in how many seconds to try again', async () => {
  const busy = await outside.member({ email: 'busy@elsewhere.example' });
  const channel = outside.channel();
  for (let count = 0; count < 30; count += 1) {
    const answer = textOf(await outside.ask(busy, '/subscriptions', { channel }));
    expect(answer).not.toMatch(/try again/);
  }
  const refusal = textOf(await outside.ask(busy, '/subscriptions', { channel }));
  expect(refusal).toMatch(/try again in \d+ seconds/);
  expect(stage.slack.messages(channel)).toEqual([]);
  const other = await outside.member({ email: 'calm@elsewhere.example' });
  expect(textOf(await outside.ask(other, '/subscriptions', { channel }))).not.toMatch(/try again/);
});

test('Slack objected to nothing the bot did', () => {
  expect(stage.slack.violations.filter(({ kind }) => kind !== 'rate')).toEqual([]);
});
