import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import { acts } from '../../src/core/acts/acts.ts';
import type { Act, RequestOf } from '../../src/core/model/any-request.ts';
import { defaultSettings } from '../../src/core/model/settings.ts';
import { followed } from '../support/followed.ts';
import { notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

let stage: Stage;
let channel: Channel;
/** What Dana posted about in the channel, which everyone sees. */
let message: Message;
let id: string;
let seq: string;
let mutedId: string;
const { query, chooseInMenu, listOf } = makeStageActions(() => stage);

beforeAll(async () => {
  stage = await setStage({ name: 'acts', skipsPauses: true });
  const { slack, dana, guest } = stage;
  await stage.link(dana, 'dana@example.com');
  const made = await followed(stage, 'acts');
  channel = made.channel;
  channel.members.add(guest.id);
  await notify(made.uri, { item: 'Roof', name: 'Roof.pdf', path: 'Root/Plans/Roof.pdf' });
  const roof = await slack.waitForMessage(channel, 'Roof.pdf');
  await chooseInMenu(dana, roof, 'mute');
  await slack.waitForMessage(channel, 'muted');
  await notify(made.uri, { item: 'Wall', name: 'Wall.pdf', path: 'Root/Plans/Wall.pdf' });
  message = await slack.waitForMessage(channel, 'Wall.pdf');
  [{ id }] = await query('select id from plancast.subscriptions where channel_id = $1', [channel.id]);
  [{ seq }] = await query('select max(seq)::text as seq from plancast.events where channel_id = $1', [
    channel.id,
  ]);
  [{ id: mutedId }] = await query('select id from plancast.exclusions where channel_id = $1', [channel.id]);
});
afterAll(() => stage.close());

/** The arguments of each act, all about the channel and what is in it. */
const argumentsOf = (): { readonly [A in Act]: Omit<RequestOf<A>, 'act'> } => {
  const target = { kind: 'project', projectId: '731-450-286' } as const;
  const subscribe = { target, comprehensive: true, filters: {} };
  const none = {};
  return {
    subscribe,
    'open-form': none,
    'fill-form': { request: { act: 'subscribe', ...subscribe } },
    'follow-links': { targets: [target] },
    'open-form-anywhere': none,
    edit: { id },
    'edit-shown': { seq },
    'take-over-all': { ownerUserId: 'U0OWNER' },
    'take-over': { id },
    'follow-item': { seq },
    'undo-change': { id, key: '', at: 0 },
    unsubscribe: { target: { kind: 'project', projectId: '412-873-550' } },
    remove: { id },
    'unsubscribe-all': none,
    'remove-all': none,
    'undo-removal': { ids: [id] },
    pause: { id },
    resume: { id },
    mute: { minutes: 60 },
    unmute: none,
    quiet: { hours: { from: '18:00', to: '07:00' } },
    'mute-item': { seq },
    'hide-person': { seq },
    'show-again': { id: mutedId },
    'show-in-shared': { all: true },
    'lower-volume': { id, to: 'digest' },
    'keep-volume': { id },
    list: none,
    'unsubscribe-list': none,
    'list-page': { purpose: 'subscriptions', page: 0 },
    'show-all': { page: 0 },
    why: none,
    'why-page': { page: 0 },
    'why-message': none,
    activity: { id },
    recap: none,
    'catch-up': none,
    doctor: none,
    'doctor-details': none,
    check: { id },
    help: none,
    home: { page: 0 },
    'repair-posting': none,
    'repair-remote': { id },
    'replay-dead': none,
    link: none,
    'open-link': none,
    'enter-code': none,
    status: none,
    unlink: none,
    'unlink-now': none,
    export: none,
    import: none,
    settings: none,
    'save-settings': { settings: defaultSettings },
    'ask-admin': { request: { act: 'mute', minutes: 60 } },
    allow: { id },
    decline: { id },
    workspace: none,
    'admin-pause': { id },
    'admin-resume': none,
    'admin-remove': { id },
    audit: none,
    'remove-data': none,
    'remove-channel': { channelId: channel.id },
    'remove-person': { userId: stage.dana.id },
    answer: { request: { act: 'subscribe', ...subscribe } },
    'in-channel': { channelId: channel.id, request: { act: 'mute', minutes: 60 } },
    dismiss: none,
  };
};

/** The acts that need one of these, with their requests. */
const needing = (...needs: readonly string[]) =>
  Object.entries(argumentsOf())
    .map(([act, args]) => ({ act: act as Act, request: { act, ...args } }))
    .filter(({ act }) => needs.includes(acts[act].needs));

/** Presses a button that asks for this, in that message, as a forged request can, and returns what the person reads next in private. */
async function answerTo(user: User, request: object, pressed = message): Promise<string> {
  const { slack } = stage;
  const before = slack.ephemerals(user).length;
  // Thirty commands a minute are allowed.
  stage.advance(3_000);
  const element = {
    type: 'button',
    action_id: 'forged',
    text: { type: 'plain_text', text: 'x' },
    value: JSON.stringify(request),
  };
  await slack.click({
    user,
    message: pressed,
    element: { blockId: 'b', actionId: 'forged', element, input: undefined },
  });
  await expect.poll(() => slack.ephemerals(user).length).toBeGreaterThan(before);
  const answers = slack.ephemerals(user).slice(before);
  expect(answers).toHaveLength(1);
  return answers.map((answer) => slack.textOf(answer)).join();
}

/** Everything that a press could have changed. */
const stored = () =>
  query(
    `select (select jsonb_agg(to_jsonb(s) - 'health') from plancast.subscriptions s) as subscriptions,
            (select jsonb_agg(to_jsonb(x)) from plancast.exclusions x) as exclusions,
            (select jsonb_agg(channel_id) from plancast.lanes where muted_until > now()) as mutes,
            (select count(*) from plancast.audit) as audit, (select count(*) from plancast.links) as links`,
  );

test('a guest, and a person of another organization, may do nothing of all that can be asked for', async () => {
  const { slack, guest } = stage;
  const stan = slack.addUser({ name: 'stan', isStranger: true });
  channel.members.add(stan.id);
  const before = await stored();
  const all = needing('member', 'see', 'change', 'admin');
  expect(all.length).toBe(Object.keys(acts).length - needing('nothing').length);
  expect(needing('nothing').map(({ act }) => act)).toEqual(['open-link', 'dismiss']);
  for (const { act, request } of all) {
    expect([act, await answerTo(guest, request)]).toEqual([
      act,
      expect.stringContaining('Guests can’t do that'),
    ]);
    expect([act, await answerTo(stan, request)]).toEqual([
      act,
      expect.stringContaining('I belong to another organization'),
    ]);
  }
  expect(await stored()).toEqual(before);
}, 120_000);

test('a member who is not in the channel may neither see nor change what is in it', async () => {
  const { slack, teamId } = stage;
  const otto = slack.addUser({ teamId, name: 'Otto Outside' });
  const before = await stored();
  const there = needing('see', 'change');
  for (const { act, request } of [...there, ...needing('member').filter(({ act }) => act === 'in-channel')]) {
    expect([act, await answerTo(otto, request)]).toEqual([
      act,
      expect.stringContaining('Only people in the channel can do that'),
    ]);
  }
  expect(await stored()).toEqual(before);
}, 120_000);

test('a member who is no admin may do nothing of what admins do', async () => {
  const { sam } = stage;
  channel.members.add(sam.id);
  const before = await stored();
  for (const { act, request } of needing('admin')) {
    expect([act, await answerTo(sam, request)]).toEqual([act, expect.stringContaining('Only admins')]);
  }
  expect(await stored()).toEqual(before);
}, 60_000);

test('where admins let only some people subscribe, the others may change nothing, however they ask', async () => {
  const { sam, teamId } = stage;
  channel.members.add(sam.id);
  await query(
    `insert into plancast.settings (team_id, value) values ($1, '{"subscribers":{"kind":"admins"}}')`,
    [teamId],
  );
  try {
    const before = await stored();
    for (const { act, request } of needing('change')) {
      expect([act, await answerTo(sam, request)]).toEqual([act, expect.stringContaining('Only admins')]);
    }
    expect(await stored()).toEqual(before);
  } finally {
    await query('delete from plancast.settings where team_id = $1', [teamId]);
  }
}, 60_000);

test('what belongs to another channel is not found from a channel in which it is not', async () => {
  const { slack, dana, sam } = stage;
  const elsewhere = await followed(stage, 'elsewhere');
  const posted = await slack.waitForMessage(elsewhere.channel, 'to this channel');
  elsewhere.channel.members.add(sam.id);
  const before = await stored();
  const found = Object.entries(acts)
    .filter(([, { about }]) => about === 'subscription' || about === 'exclusion' || about === 'event')
    .map(([act]) => act as Act);
  expect(found.length).toBeGreaterThan(10);
  for (const act of found) {
    const request = { act, ...argumentsOf()[act] };
    expect([act, await answerTo(dana, request, posted)]).toEqual([
      act,
      expect.stringMatching(/That no longer exists|details of this change are no longer stored/),
    ]);
  }
  expect(await stored()).toEqual(before);
}, 60_000);

test('a value that is no request, or one of a release that this one does not know, says where to go on', async () => {
  const { dana } = stage;
  for (const request of [
    {},
    { act: 'fly' },
    { act: 'pause', id: 'x' },
    { act: 'mute-item', seq: '-1' },
    [],
  ]) {
    expect(await answerTo(dana, request)).toContain('This button is out of date. Open the list again');
  }
});

test('buttons and menus that the last release sent still do what they say', async () => {
  const { slack, dana, sam } = stage;
  const made = await followed(stage, 'last release');
  await notify(made.uri, { item: 'Door', name: 'Door.pdf', path: 'Root/Plans/Door.pdf' });
  const door = await slack.waitForMessage(made.channel, 'Door.pdf');
  const list = await listOf(dana, made.channel);
  const ids = await query(
    `select s.id, e.seq::text as seq from plancast.subscriptions s join plancast.events e on e.subscription_id = s.id
     where s.channel_id = $1`,
    [made.channel.id],
  );
  const old = (pressed: Message, actionId: string, value: string, user = dana) => {
    const element = { type: 'button', action_id: actionId, text: { type: 'plain_text', text: 'x' }, value };
    const blockId = `subscriptions:0/${ids[0].id}`;
    return slack.click({ user, message: pressed, element: { blockId, actionId, element, input: undefined } });
  };
  await old(list, 'subscription_pause', ids[0].id);
  await slack.waitForMessage(made.channel, 'Dana Reyes paused the subscription');
  await expect.poll(() => slack.textOf(list)).toContain('Resume');
  await old(door, 'activity_menu', `mute:${ids[0].seq}`);
  await slack.waitForMessage(made.channel, 'Dana Reyes muted');
  const request = { act: 'unsubscribe', target: { kind: 'project', projectId: '412-873-550' } };
  await old(list, 'run_correction', JSON.stringify(request), sam);
  await slack.waitForEphemeral(sam, 'Only people in the channel can do that');
  await old(list, 'run_correction', JSON.stringify(request));
  await slack.waitForMessage(made.channel, 'Dana Reyes removed the subscription');
});
