import { expect, test } from 'vitest';
import { inputOf, makeClock, modalOf, startSlack, startStubBot, text } from './support.ts';

const FORM = modalOf('Subscribe', [inputOf('name', { type: 'plain_text_input', action_id: 'name_a' })]);

/** Starts a bot, and a person who has just typed a command. */
async function start() {
  const bot = await startStubBot();
  const clock = makeClock();
  const started = await startSlack({ botRequestUrl: bot.url, now: clock.now });
  const { dana, plans } = started.seed;
  const type = async () => {
    const { triggerId } = await started.slack.command({ user: dana, channel: plans, command: '/subscribe' });
    return triggerId;
  };
  const open = async (view: unknown = FORM) => started.call('views.open', { trigger_id: await type(), view });
  return { ...started, bot, clock, type, open };
}

test('a trigger opens one view, within three seconds', async () => {
  const { slack, seed, call, clock, type } = await start();
  const trigger = await type();
  clock.pass(3000);
  expect(await call('views.open', { trigger_id: trigger, view: FORM })).toMatchObject({
    ok: true,
    view: { type: 'modal', callback_id: 'form', hash: expect.any(String), state: { values: { name: {} } } },
  });
  expect(slack.lastView(seed.dana)).toMatchObject({ callbackId: 'form', channelId: seed.plans.id });
  expect(await call('views.open', { trigger_id: trigger, view: FORM })).toMatchObject({
    error: 'trigger_exchanged',
  });
  const late = await type();
  clock.pass(3001);
  expect(await call('views.open', { trigger_id: late, view: FORM })).toMatchObject({
    error: 'expired_trigger_id',
  });
  expect(await call('views.open', { trigger_id: 'made-up', view: FORM })).toMatchObject({
    error: 'invalid_trigger_id',
  });
  expect(slack.violations.map(({ kind }) => kind)).toEqual(['trigger', 'trigger', 'trigger']);
});

test("another workspace's trigger does not work", async () => {
  const { slack, call, type } = await start();
  const other = slack.addWorkspace();
  const answer = await call('views.open', { trigger_id: await type(), view: FORM }, other.botToken);
  expect(answer.error).toBe('invalid_trigger_id');
});

test('a view that Slack rejects is rejected with its location, and the trigger still works', async () => {
  const { slack, call, type } = await start();
  const trigger = await type();
  const answer = await call('views.open', { trigger_id: trigger, view: modalOf('x'.repeat(25), []) });
  expect(answer).toMatchObject({
    error: 'invalid_arguments',
    response_metadata: { messages: [expect.stringContaining('/view/title')] },
  });
  expect(slack.violations).toMatchObject([{ kind: 'blocks', method: 'views.open' }]);
  expect(await call('views.open', { trigger_id: trigger, view: FORM })).toMatchObject({ ok: true });
});

test('an update needs the view, and the hash if it names one', async () => {
  const { slack, seed, call, open } = await start();
  const opened = await open({ ...FORM, external_id: 'mine' });
  const { id, hash } = opened.view as { id: string; hash: string };
  const next = modalOf('Next', []);
  expect(await call('views.update', { view_id: id, hash: 'old', view: next })).toMatchObject({
    error: 'hash_conflict',
  });
  expect(await call('views.update', { view_id: id, hash, view: next })).toMatchObject({ ok: true });
  expect(slack.lastView(seed.dana)?.title).toEqual(text('Next'));
  expect(await call('views.update', { view_id: id, hash, view: next })).toMatchObject({
    error: 'hash_conflict',
  });
  expect(await call('views.update', { external_id: 'mine', view: next })).toMatchObject({
    error: 'not_found',
  });
  await slack.closeView({ user: seed.dana });
  expect(await call('views.update', { view_id: id, view: next })).toMatchObject({ error: 'not_found' });
});

test('Slack does not send a form with an empty required field, unless it is forced', async () => {
  const { slack, seed, bot, open } = await start();
  await open();
  const sent = bot.received.length;
  await expect(slack.submitView({ user: seed.dana })).rejects.toThrow('name_a must be filled in');
  expect(bot.received).toHaveLength(sent);
  expect(await slack.submitView({ user: seed.dana, force: true })).toMatchObject({ outcome: 'closed' });
});
