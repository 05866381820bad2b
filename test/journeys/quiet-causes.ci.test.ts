import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import { type Notice, notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

// Why a channel is quiet: whatever the cause, the list, the doctor and why name it.

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'quiet causes', skipsPauses: true });
});
afterAll(() => stage.close());

const { newChannel, press, query, chooseInMenu, listOf, following } = makeStageActions(() => stage);

/** What a cause is set up with: a channel that Olga subscribed, and Sam, who is in it and asks. */
type Scene = {
  readonly owner: User;
  readonly reader: User;
  readonly channel: Channel;
  readonly record: () => number;
  readonly send: (name: string, more?: Partial<Notice>) => Promise<number>;
  readonly type: (line: string) => Promise<void>;
};

/** `line`: the options of the subscription. `account`: the owner's at the service. A pattern for each of what is asked. */
type Cause = {
  readonly line?: string;
  readonly account?: string;
  readonly arrange: (scene: Scene) => Promise<unknown>;
  readonly list: RegExp;
  readonly doctor: RegExp;
  readonly why: RegExp;
};

const refusing = (channel: Channel, error: string) =>
  stage.slack.fault({
    method: 'chat.postMessage',
    channel: channel.id,
    error,
    times: Number.POSITIVE_INFINITY,
  });
/** Waits until an event of the channel is stored in this way. */
const stored = ({ id }: Channel, state: string, reason: string | null) =>
  expect
    .poll(() =>
      query('select state, reason from plancast.events where channel_id = $1 order by seq desc limit 1', [
        id,
      ]),
    )
    .toEqual([{ state, reason }]);
const paused = (channel: Channel, reason: string) =>
  expect
    .poll(() => query('select reason from plancast.subscriptions where channel_id = $1', [channel.id]))
    .toEqual([{ reason }]);
const sample = 'Sample.pdf';

const causes: Readonly<Record<string, Cause>> = {
  'the bot was removed': {
    arrange: ({ channel, reader }) => stage.slack.removeBot(channel, reader),
    list: /Paused: I’m no longer in the channel/,
    doctor: /Paused: I’m no longer in the channel.*\/invite/s,
    why: /Paused: I’m no longer in the channel/,
  },
  'it may not post there': {
    arrange: async ({ channel, send }) => {
      refusing(channel, 'restricted_action');
      await send(sample);
      await paused(channel, 'posting restricted');
    },
    list: /Paused: I’m not allowed to post in the channel/,
    doctor: /I’m not allowed to post in the channel/,
    why: /I’m not allowed to post in the channel/,
  },
  'Slack lets it into no channel of the workspace': {
    arrange: async ({ channel, send }) => {
      refusing(channel, 'access_denied');
      await send(sample);
      await paused(channel, 'workspace access');
    },
    list: /Paused: my access to this workspace no longer works/,
    doctor: /my access to this workspace no longer works/,
    why: /my access to this workspace no longer works/,
  },
  'Slack asked it to wait': {
    arrange: async ({ channel, send }) => {
      stage.slack.fault({
        method: 'chat.postMessage',
        channel: channel.id,
        status: 429,
        retryAfter: 900,
        times: 1,
      });
      await send(sample);
      await expect
        .poll(() =>
          query('select 1 from plancast.lanes where channel_id = $1 and not_before > now()', [channel.id]),
        )
        .toHaveLength(1);
    },
    list: /Working/,
    doctor: /Slack asked me to hold the next message until/,
    why: /Slack asked me to hold the next message until.*about to be posted/s,
  },
  'somebody muted it': {
    arrange: async ({ channel, type, send }) => {
      await type('/plancast mute 2h');
      await stage.slack.waitForMessage(channel, 'muted this channel');
      await send(sample);
      await stored(channel, 'pending', 'muted');
    },
    list: /🔕 Muted by \*?Sam Okafor\*? until/,
    doctor: /I’m muted here until/,
    why: /I’m muted here until.*waiting for the mute to end.*Sample\.pdf/s,
  },
  'it has quiet hours': {
    arrange: async ({ channel, type, send }) => {
      const hour = stage.now().getUTCHours();
      await type(`/plancast quiet ${hour}:00-${(hour + 2) % 24}:00`);
      await stage.slack.waitForMessage(channel, 'set quiet hours');
      await send(sample);
      await stored(channel, 'pending', 'muted');
    },
    list: /🌙 Quiet hours: .*London time/,
    doctor: /It’s quiet here until .*London time/,
    why: /It’s quiet here until .*waiting for quiet hours to end.*Sample\.pdf/s,
  },
  'somebody paused it': {
    arrange: async ({ channel, reader }) => {
      await press(reader, await listOf(reader, channel), 'Pause');
      await stage.slack.waitForMessage(channel, 'paused the subscription');
    },
    list: /Paused by \*?(you|Sam Okafor)/,
    doctor: /Paused by \*?(you|Sam Okafor)/,
    why: /Paused by \*?(you|Sam Okafor)/,
  },
  'its owner’s link is lost': {
    account: 'lee@example.com',
    arrange: async ({ channel }) => {
      stage.service.switches.set({ revocation: 'access tokens too' });
      stage.service.revoke('lee@example.com');
      await stage.checkLinks();
      await paused(channel, 'link lost');
    },
    list: /Paused: .*Owner\*? needs to link their account again/,
    doctor: /Paused: .*Owner\*? needs to link their account again/,
    why: /Paused: .*Owner\*? needs to link their account again/,
  },
  'its owner unlinked': {
    arrange: async ({ owner, channel }) => {
      await stage.type(owner, '/plancast unlink', channel);
      await press(owner, await stage.slack.waitForEphemeral(owner, 'Unlink your account'), 'Unlink');
      await paused(channel, 'unlinked');
    },
    list: /Paused: .*Owner\*? unlinked their account/,
    doctor: /Paused: .*Owner\*? unlinked their account.*take it over/s,
    why: /Paused: .*Owner\*? unlinked their account/,
  },
  'its owner left the workspace': {
    arrange: async ({ owner, channel }) => {
      Object.assign(owner, { deleted: true });
      await stage.forgetSlack();
      await stage.checkLinks();
      await paused(channel, 'owner gone');
    },
    list: /Paused: .*Owner\*? is no longer in this workspace/,
    doctor: /Paused: .*Owner\*? is no longer in this workspace/,
    why: /Paused: .*Owner\*? is no longer in this workspace/,
  },
  'its owner lost access': {
    account: 'lee@example.com',
    arrange: async ({ channel, record }) => {
      const act = { action: 'set-permission', project: 'Harbour Tower', email: 'lee@example.com' } as const;
      stage.service.act('sam@example.com', { ...act, permission: 'none' });
      const remote = stage.service.subscriptions.byId(record());
      if (remote) stage.service.subscriptions.remove(remote);
      await stage.checkLinks();
      await paused(channel, 'no access');
      stage.service.act('sam@example.com', { ...act, permission: 'write' });
    },
    list: /Paused: .*Owner\*? no longer has access to it/,
    doctor: /Paused: .*Owner\*? no longer has access to it/,
    why: /Paused: .*Owner\*? no longer has access to it/,
  },
  'the service stopped sending': {
    arrange: async ({ channel, record }) => {
      const remote = stage.service.subscriptions.byId(record());
      if (remote) stage.service.subscriptions.remove(remote);
      const fault = stage.service.faults.set({
        endpoint: 'create comprehensive',
        kind: 'answer',
        status: 422,
      });
      for (let checks = 0; checks < 2; checks += 1) await stage.checkLinks();
      await paused(channel, 'not sent any more');
      fault.remove();
    },
    list: /Paused: the service stopped sending notifications/,
    doctor: /Paused: the service stopped sending notifications/,
    why: /Paused: the service stopped sending notifications/,
  },
  'the service reports an odd state': {
    arrange: async ({ record }) => {
      stage.service.subscriptions.setStatus(record(), 'Suspended');
      for (let checks = 0; checks < 2; checks += 1) await stage.checkLinks();
    },
    list: /The service reports .Suspended/,
    doctor: /status of the subscription at Practice is .Suspended/,
    why: /status of the subscription at Practice is .Suspended/,
  },
  'it is still being set up': {
    line: 'unavailable',
    arrange: async () => undefined,
    list: /Setting up/,
    doctor: /still being set up/,
    why: /still being set up/,
  },
  'it waits for its digest': {
    line: 'digest daily 09:00',
    arrange: async ({ channel, send }) => {
      await send(sample);
      await stored(channel, 'pending', 'digest');
    },
    list: /daily digest at 9:00/i,
    doctor: /Everything works here/,
    why: /will be posted in a daily digest at 9:00.*Sample\.pdf/,
  },
  'its event types exclude it': {
    line: 'only deleted',
    arrange: async ({ channel, send }) => {
      await send(sample);
      await stored(channel, 'filtered', 'type');
    },
    list: /deleted/,
    doctor: /Everything works here/,
    why: /filtered by event type \(deleted\)/,
  },
  'its folders exclude it': {
    line: 'in "Elsewhere/**"',
    arrange: async ({ channel, send }) => {
      for (let count = 0; count < 20; count += 1) await send(`Sample ${count}.pdf`);
      await expect
        .poll(() =>
          query(`select 1 from plancast.events where channel_id = $1 and reason = 'path'`, [channel.id]),
        )
        .toHaveLength(20);
    },
    list: /None of the last 20 changes match its folders/,
    doctor: /None of the last 20 changes match its folders/,
    why: /None of the last 20 changes match its folders/,
  },
  'its people exclude it': {
    line: 'not by max@example.com',
    arrange: async ({ channel, send }) => {
      await send(sample, { user: 'max@example.com' });
      await stored(channel, 'filtered', 'person');
    },
    list: /except by max@example\.com/,
    doctor: /Everything works here/,
    why: /filtered by person/,
  },
  'the item is muted there': {
    arrange: async ({ channel, reader, send }) => {
      await send(sample);
      await chooseInMenu(reader, await stage.slack.waitForMessage(channel, sample), 'mute');
      await stage.slack.waitForMessage(channel, 'muted “Sample.pdf”');
      await send(sample, { name: 'Again.pdf' });
      await stored(channel, 'filtered', 'item');
    },
    list: /Not shown in this channel.*muted by/s,
    doctor: /Everything works here/,
    why: /this item, or a folder it is in, is muted here/,
  },
  'Slack refused the message itself': {
    arrange: async ({ channel, send }) => {
      refusing(channel, 'invalid_blocks');
      await send(sample);
      await stored(channel, 'dead', 'invalid_blocks');
    },
    list: /Working/,
    doctor: /1 change couldn’t be posted/,
    why: /Slack refused the message \(.*invalid_blocks/,
  },
  'nothing ever came': {
    arrange: async () => undefined,
    list: /no activity yet/,
    doctor: /Everything works here/,
    why: /No activity from Practice yet/,
  },
};

/** Makes the scene of a cause. */
async function sceneOf({ line = '', account = 'dana@example.com' }: Cause): Promise<Scene> {
  const { slack, service, teamId } = stage;
  const person = (name: string) => slack.addUser({ teamId, realName: name, name, email: account });
  const [owner, reader] = [person('Olga Owner'), person('Sam Okafor')];
  for (const user of [owner, reader]) stage.plans.members.add(user.id);
  await stage.link(owner, account);
  const channel = newChannel(`quiet ${owner.id}`, [owner, reader]);
  const isAway = line === 'unavailable';
  const fault = isAway
    ? service.faults.set({ endpoint: 'create comprehensive', kind: 'answer', status: 503 })
    : null;
  const typed = `/subscribe project 412-873-550 ${isAway ? '' : line}`;
  if (!isAway) await following(owner, channel, typed);
  else {
    await stage.type(owner, typed, channel);
    await slack.waitForEphemeral(owner, ({ channelId }) => channelId === channel.id);
  }
  fault?.remove();
  const remote = service.subscriptions.all().at(-1);
  return {
    owner,
    reader,
    channel,
    record: () => remote?.id ?? 0,
    send: (name, more = {}) => notify(remote?.uri ?? '', { item: sample, name, at: stage.now(), ...more }),
    type: async (typed) => void (await stage.type(reader, typed, channel)),
  };
}

/** Types a command; returns what it is answered with. */
async function ask({ reader, channel, type }: Scene, line: string): Promise<string> {
  const { slack } = stage;
  const before = slack.ephemerals(reader, channel).length;
  await type(line);
  await expect.poll(() => slack.ephemerals(reader, channel).length).toBeGreaterThan(before);
  return slack
    .ephemerals(reader, channel)
    .slice(before)
    .map((message) => slack.textOf(message))
    .join('\n');
}

expect(Object.keys(causes).length).toBeGreaterThanOrEqual(20);
test.each(Object.entries(causes))('%s: the list, the doctor and why say so', async (_, cause) => {
  const scene = await sceneOf(cause);
  await cause.arrange(scene);
  expect(await ask(scene, '/subscriptions')).toMatch(cause.list);
  expect(await ask(scene, '/plancast doctor')).toMatch(cause.doctor);
  expect(await ask(scene, '/plancast why')).toMatch(cause.why);
});
