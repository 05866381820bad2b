import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  codeOn,
  dana,
  headingOf,
  keyOf,
  type LinkWorld,
  mallory,
  minute,
  startLinkWorld,
} from './link-world.ts';

let world: LinkWorld;

beforeAll(async () => {
  world = await startLinkWorld({ name: 'replace link' });
});
beforeEach(async () => {
  await world.reset();
  world.slack.profiles.set(keyOf(dana), { name: 'dana', email: 'dana@example.com' });
});
afterAll(() => world.close());

/** Links Dana to one account, then sends her back from the service with a second account that is just as surely hers. */
async function linkTwice() {
  world.slack.profiles.set(keyOf(dana), { name: 'dana', email: 'lee@example.com' });
  await world.link(dana, 'lee@example.com');
  world.slack.profiles.set(keyOf(dana), { name: 'dana', email: 'dana@example.com' });
  world.slack.messages.length = 0;
  world.carriedOut.length = 0;
  const page = await world.link(dana, 'dana@example.com', { act: 'list' });
  return { page, attemptId: buttonValue() };
}

/** Returns the value of the button in the last message. */
function buttonValue(): string {
  const blocks = JSON.stringify(world.slack.messages.at(-1)?.message.blocks);
  const value = /"value":"([\da-f-]{36})"/.exec(blocks)?.[1];
  if (value === undefined) throw new Error(`there is no value in ${blocks}`);
  return value;
}

test('I sign in to another account: I am asked in Slack, say yes, and the old account is named', async () => {
  const { page, attemptId } = await linkTwice();
  expect(headingOf(page)).toBe('Confirm in Slack');
  expect(await world.links.of(dana)).toMatchObject({ account: 'lee@example.com' });
  expect(world.slack.messages.map(({ person }) => person)).toEqual([dana]);
  expect(world.carriedOut).toEqual([]);

  const answered = await world.linking.confirmReplace({ person: dana, attemptId, use: 'new' });
  expect(answered).toMatchObject({ outcome: 'linked', replaced: 'lee@example.com' });
  expect(await world.links.of(dana)).toMatchObject({ account: 'dana@example.com' });
  expect(await world.stored()).toEqual({ links: 1, tokens: 2 });
  expect(world.carriedOut).toMatchObject([{ asked: [{ request: { act: 'list' } }] }]);
  const receipt = world.slack.messages.at(-1)?.message.text.replaceAll('\u200b', '');
  expect(receipt).toContain('dana@example.com');
  expect(receipt).toContain('lee@example.com is no longer linked');
});

test('I say no: the old account stays, and the new tokens are deleted', async () => {
  const { attemptId } = await linkTwice();
  expect(await world.linking.confirmReplace({ person: dana, attemptId, use: 'old' })).toEqual({
    outcome: 'kept',
  });
  expect(await world.links.of(dana)).toMatchObject({ account: 'lee@example.com' });
  expect(await world.stored()).toEqual({ links: 1, tokens: 2 });
  expect(await world.linking.confirmReplace({ person: dana, attemptId, use: 'new' })).toEqual({
    outcome: 'too-late',
  });
});

test('I do not answer: after ten minutes the new tokens are deleted, and a late yes changes nothing', async () => {
  const { attemptId } = await linkTwice();
  world.clock.advance(10 * minute);
  expect(await world.linking.confirmReplace({ person: dana, attemptId, use: 'new' })).toEqual({
    outcome: 'too-late',
  });
  await world.linking.cleanAttempts();
  expect(await world.stored()).toEqual({ links: 1, tokens: 2 });
  expect(await world.links.of(dana)).toMatchObject({ account: 'lee@example.com' });
});

test("I press the button of another person's question, or a forged one, and nothing changes", async () => {
  const { attemptId } = await linkTwice();
  const tries = [
    { person: mallory, attemptId },
    { person: { ...dana, teamId: 'T0OTHER02' }, attemptId },
    { person: dana, attemptId: '00000000-0000-4000-8000-000000000000' },
    { person: dana, attemptId: `${attemptId}' or true` },
  ];
  for (const attempt of tries) {
    expect(await world.linking.confirmReplace({ ...attempt, use: 'new' })).toEqual({ outcome: 'too-late' });
  }
  expect(await world.links.of(dana)).toMatchObject({ account: 'lee@example.com' });
});

test('I press yes three times at once: the link is replaced once', async () => {
  const { attemptId } = await linkTwice();
  const answers = await Promise.all(
    [1, 2, 3].map(() => world.linking.confirmReplace({ person: dana, attemptId, use: 'new' })),
  );
  expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['linked', 'too-late', 'too-late']);
  expect(world.carriedOut).toHaveLength(1);
});

test('I link the same account again: I am not asked, and the tokens are new', async () => {
  await world.link(dana, 'dana@example.com');
  const before = await world.links.of(dana);
  world.clock.advance(minute);
  expect(headingOf(await world.link(dana, 'dana@example.com'))).toBe('You’re linked');
  const after = await world.links.of(dana);
  expect(after?.id).toBe(before?.id);
  expect(after?.refreshedAt).toEqual(world.clock.now());
  expect(world.slack.messages.at(-1)?.message.text).not.toContain('no longer linked');
});

test('two accounts without names are not taken for the same account', async () => {
  world.service.switches.set({ userName: 'missing' });
  for (const expected of ['linked', 'question']) {
    const code = codeOn(await world.link(dana, 'dana@example.com'));
    expect((await world.linking.enterCode({ person: dana, code })).outcome).toBe(expected);
  }
  world.service.switches.set({ userName: 'sent' });
});

test('two browsers finish at the same moment with two accounts: one is linked, and the other does not replace it without asking', async () => {
  const code = codeOn(await world.link(dana, 'sam@example.com'));
  const [first, second] = await Promise.all([
    world.linking.enterCode({ person: dana, code }),
    world.link(dana, 'dana@example.com'),
  ]);
  const outcomes = [first.outcome, headingOf(second)];
  expect([
    ['linked', 'Confirm in Slack'],
    ['question', 'You’re linked'],
    ['refused', 'You’re linked'],
  ]).toContainEqual(outcomes);
});
