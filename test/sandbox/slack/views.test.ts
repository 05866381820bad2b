import { expect, test } from 'vitest';
import {
  inputOf,
  makeClock,
  modalOf,
  type StubAnswer,
  sectionOf,
  startSlack,
  startStubBot,
  text,
} from './support.ts';

const FORM = modalOf('Subscribe', [inputOf('name', { type: 'plain_text_input', action_id: 'name_a' })]);

/** Starts a bot whose answer to submissions can be set, and a person who has just typed a command. */
async function start() {
  let answer: StubAnswer = {};
  const bot = await startStubBot(() => answer);
  const clock = makeClock();
  const started = await startSlack({ botRequestUrl: bot.url, now: clock.now });
  const { dana, plans } = started.seed;
  const type = async () => {
    const { triggerId } = await started.slack.command({ user: dana, channel: plans, command: '/subscribe' });
    return triggerId;
  };
  const open = async (view: unknown = FORM) => {
    const opened = await started.call('views.open', { trigger_id: await type(), view });
    return { opened, view: started.slack.lastView(dana) };
  };
  const answerWith = (json: unknown) => {
    answer = { json };
  };
  return { ...started, bot, clock, type, open, answerWith };
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

test('a replayed command has the same trigger, already used up', async () => {
  const { slack, seed, call } = await start();
  const done = await slack.command({
    user: seed.dana,
    channel: seed.plans,
    command: '/subscribe',
    triggerId: '1.2.3',
  });
  expect(await call('views.open', { trigger_id: '1.2.3', view: FORM })).toMatchObject({ ok: true });
  const again = await done.replay();
  expect(again.triggerId).toBe('1.2.3');
  expect(await call('views.open', { trigger_id: '1.2.3', view: FORM })).toMatchObject({
    error: 'trigger_exchanged',
  });
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

test('three views can be stacked, and not a fourth', async () => {
  const { slack, seed, call, open, type } = await start();
  await open();
  const push = async () => call('views.push', { trigger_id: await type(), view: modalOf('More', []) });
  const second = await push();
  expect(second).toMatchObject({ view: { previous_view_id: slack.openViews(seed.dana)[0]?.id } });
  expect(await push()).toMatchObject({ ok: true });
  expect(await push()).toMatchObject({ error: 'push_limit_reached' });
  expect(slack.openViews(seed.dana)).toHaveLength(3);
});

test('an update needs the view, and the hash if it names one', async () => {
  const { slack, seed, call, open } = await start();
  const { opened } = await open({ ...FORM, external_id: 'mine' });
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

test('a Home tab is published without a trigger, and replaced by the next one', async () => {
  const { slack, seed, call } = await start();
  const home = (words: string) => ({
    user_id: seed.sam.id,
    view: { type: 'home', blocks: [sectionOf(words)] },
  });
  await call('views.publish', home('One'));
  await call('views.publish', home('Two'));
  expect(slack.homeView(seed.sam)).toMatchObject({ updates: 1, blocks: [{ text: { text: 'Two' } }] });
  expect(slack.homeView(seed.dana)).toBeUndefined();
  expect(await call('views.publish', { ...home('One'), hash: 'old' })).toMatchObject({
    error: 'hash_conflict',
  });
  expect(await call('views.publish', { ...home('One'), user_id: 'U0NOBODY' })).toMatchObject({
    error: 'user_not_found',
  });
});

const ALL_KINDS = modalOf('Everything', [
  inputOf('where', {
    type: 'conversations_select',
    action_id: 'where_a',
    default_to_current_conversation: true,
    response_url_enabled: true,
  }),
  inputOf('project', { type: 'external_select', action_id: 'project_a', min_query_length: 0 }),
  inputOf('kinds', {
    type: 'checkboxes',
    action_id: 'kinds_a',
    options: [
      { text: text('Comments'), value: 'comment' },
      { text: text('Files'), value: 'file' },
    ],
  }),
  inputOf('day', { type: 'datepicker', action_id: 'day_a', initial_date: '2026-11-20' }),
  inputOf('note', { type: 'plain_text_input', action_id: 'note_a' }, { optional: true }),
]);

test('a submission carries what was chosen, by value, by words or from suggestions', async () => {
  const { slack, seed, bot, open, answerWith } = await start();
  await open(ALL_KINDS);
  const option = { text: text('Apollo'), value: 'p1' };
  answerWith({ options: [option] });
  const view = slack.lastView(seed.dana);
  const { options } = await slack.suggest({ user: seed.dana, view, actionId: 'project_a', value: 'apo' });
  expect(options).toEqual([option]);
  expect(bot.last().payload).toMatchObject({
    type: 'block_suggestion',
    action_id: 'project_a',
    block_id: 'project',
    value: 'apo',
    container: { type: 'view', view_id: view?.id },
  });
  answerWith({});
  const values = { project: 'p1', kinds_a: ['Comments', 'file'] };
  const { outcome } = await slack.submitView({ user: seed.dana, viewId: view?.id, values });
  expect(outcome).toBe('closed');
  expect(slack.lastView(seed.dana)).toBeUndefined();
  expect(bot.last().payload).toMatchObject({
    type: 'view_submission',
    user: { id: seed.dana.id, team_id: seed.workspace.teamId },
    view: {
      callback_id: 'form',
      state: {
        values: {
          where: { where_a: { type: 'conversations_select', selected_conversation: seed.plans.id } },
          project: { project_a: { type: 'external_select', selected_option: option } },
          kinds: { kinds_a: { selected_options: [{ value: 'comment' }, { value: 'file' }] } },
          day: { day_a: { type: 'datepicker', selected_date: '2026-11-20' } },
          note: { note_a: { type: 'plain_text_input', value: null } },
        },
      },
    },
    response_urls: [{ block_id: 'where', channel_id: seed.plans.id, response_url: expect.any(String) }],
  });
});

test('Slack does not send a form with an empty required field, unless it is forced', async () => {
  const { slack, seed, bot, open } = await start();
  await open();
  const sent = bot.received.length;
  await expect(slack.submitView({ user: seed.dana })).rejects.toThrow('name_a must be filled in');
  expect(bot.received).toHaveLength(sent);
  expect(await slack.submitView({ user: seed.dana, force: true })).toMatchObject({ outcome: 'closed' });
});

test('values for fields that are not in the form are a mistake of the test', async () => {
  const { slack, seed, open } = await start();
  await open(ALL_KINDS);
  await expect(slack.submitView({ user: seed.dana, values: { color: 'red' } })).rejects.toThrow('color');
  await expect(slack.submitView({ user: seed.dana, values: { kinds: ['nothing'] } })).rejects.toThrow(
    'no option',
  );
});

test('errors keep the form open with what was typed', async () => {
  const { slack, seed, open, answerWith } = await start();
  await open();
  answerWith({ response_action: 'errors', errors: { name: 'Too vague' } });
  const first = await slack.submitView({ user: seed.dana, values: { name: 'Apollo' } });
  expect(first).toMatchObject({ outcome: 'errors', errors: { name: 'Too vague' } });
  expect(slack.lastView(seed.dana)?.errors).toEqual({ name: 'Too vague' });
  answerWith({});
  const second = await slack.submitView({ user: seed.dana });
  expect(second.payload).toMatchObject({
    view: { state: { values: { name: { name_a: { value: 'Apollo' } } } } },
  });
});

test('errors for an unknown block are recorded', async () => {
  const { slack, seed, open, answerWith } = await start();
  await open();
  answerWith({ response_action: 'errors', errors: { nowhere: 'Lost' } });
  await slack.submitView({ user: seed.dana, values: { name: 'a' } });
  expect(slack.violations).toMatchObject([{ kind: 'answer', method: 'view_submission' }]);
});

test('an answer can update, push or clear', async () => {
  const { slack, seed, open, answerWith } = await start();
  await open();
  const submit = () => slack.submitView({ user: seed.dana, force: true });
  answerWith({ response_action: 'update', view: modalOf('Second', []) });
  expect(await submit()).toMatchObject({ outcome: 'updated' });
  expect(slack.lastView(seed.dana)?.title).toEqual(text('Second'));
  answerWith({ response_action: 'push', view: modalOf('Third', []) });
  expect(await submit()).toMatchObject({ outcome: 'pushed' });
  expect(slack.openViews(seed.dana)).toHaveLength(2);
  answerWith({ response_action: 'push', view: modalOf('x'.repeat(25), []) });
  expect(await submit()).toMatchObject({ outcome: 'failed' });
  expect(slack.violations).toHaveLength(1);
  answerWith({ response_action: 'clear' });
  expect(await submit()).toMatchObject({ outcome: 'cleared' });
  expect(slack.openViews(seed.dana)).toEqual([]);
});

test('closing is sent to the bot only if the view asks for it', async () => {
  const { slack, seed, bot, open } = await start();
  await open();
  const sent = bot.received.length;
  expect(await slack.closeView({ user: seed.dana })).toBeUndefined();
  expect(bot.received).toHaveLength(sent);
  await open({ ...FORM, notify_on_close: true });
  await slack.closeView({ user: seed.dana, cleared: true });
  expect(bot.last().payload).toMatchObject({ type: 'view_closed', is_cleared: true });
  expect(slack.openViews(seed.dana)).toEqual([]);
});

test('typed text survives an update that keeps the ids', async () => {
  const { slack, seed, call, open } = await start();
  const buttons = { type: 'actions', elements: [{ type: 'button', text: text('More'), action_id: 'more' }] };
  const form = { ...FORM, blocks: [...FORM.blocks, buttons] };
  const { opened, view } = await open(form);
  await slack.click({ user: seed.dana, view, actionId: 'more', state: { name: 'Apollo' } });
  const { id } = opened.view as { id: string };
  const updated = await call('views.update', { view_id: id, view: form });
  expect(updated).toMatchObject({ view: { state: { values: { name: { name_a: { value: 'Apollo' } } } } } });
});
