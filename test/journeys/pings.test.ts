import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import { lookFromOutside, type Outside } from '../contract/outside.ts';
import { type Notice, notify } from '../support/notify.ts';
import { settled as settledOn } from '../support/settled.ts';
import { type Stage, setStage } from '../support/stage.ts';

const project = '412-873-550';
const p = `project ${project}`;
const minute = 60_000;
const group = '<!subteam^S0DESIGN|@designers>';

let stage: Stage;
let outside: Outside;
let dana: User;
let sam: User;
beforeAll(async () => {
  stage = await setStage({ name: 'pings', skipsPauses: true });
  outside = lookFromOutside(stage);
  sam = stage.sam;
});
beforeEach(async () => {
  // Commands are rate limited by person and minute.
  dana = await outside.member({ account: 'dana@example.com', realName: 'Dana Reyes' });
});
afterAll(async () => {
  await outside.close();
  await stage.close();
});

/** Types a command as Slack sends it, with mentions escaped. */
const type = (line: string, channel: Channel, user = dana) => {
  const [command = '', ...words] = line.split(' ');
  return stage.slack.command({ user, channel, command, text: words.join(' ') });
};
const at = ({ id }: User, name = 'sam') => `<@${id}|${name}>`;
const textOf = (message: Message) => stage.slack.textOf(message);

/** Makes a channel with Dana and Sam that follows the project; returns it with the callback URL and the announcement. */
async function pinging(options: string, members: readonly User[] = [dana, sam]) {
  const channel = outside.channel({ members });
  await type(`/subscribe ${p} ${options}`, channel);
  const announcement = await stage.slack.waitForMessage(channel, 'to this channel');
  return { channel, uri: outside.newest().uri, announcement };
}

const send = (uri: string, name: string, more: Partial<Notice> = {}) =>
  notify(uri, { item: `item of ${name}`, name, user: 'lee@example.com', at: stage.now(), ...more });
const deleted = { eventType: 'Delete' } as const;
const settled = (channel: Channel) => settledOn(stage, channel);

/** Returns whom each message of a channel mentions, earlier versions too. */
function pingsIn(channel: Channel): string[][] {
  return stage.slack
    .messages(channel)
    .map(({ blocks, text, edits }) =>
      [...JSON.stringify([blocks, text, edits]).matchAll(/<(@[UW]\w+|!subteam\^\w+|!(?!date)\w+)/g)].map(
        ([, who = '']) => who,
      ),
    );
}

test('Dana has Sam mentioned: a deletion mentions him once, an addition nobody', async () => {
  const { channel, uri, announcement } = await pinging(`ping ${at(sam)}`);
  expect(textOf(announcement)).toContain('Mentions Sam Okafor when something is deleted');
  await send(uri, 'Kept.pdf');
  await settled(channel);
  await send(uri, 'Gone.pdf', deleted);
  await settled(channel);
  expect(pingsIn(channel)).toEqual([[], [], [`@${sam.id}`]]);
  expect(stage.slack.messages(channel).at(-1)?.mentions).toMatchObject([{ kind: 'user', id: sam.id }]);
});

test('a second deletion within ten minutes mentions nobody, one after that mentions Sam again, in whatever process', async () => {
  const { channel, uri } = await pinging(`ping ${at(sam)}`);
  await send(uri, 'First.pdf', deleted);
  await settled(channel);
  stage.advance(9 * minute);
  await stage.addBot();
  await send(uri, 'Second.pdf', deleted);
  await settled(channel);
  stage.advance(2 * minute);
  await send(uri, 'Third.pdf', deleted);
  await settled(channel);
  expect(pingsIn(channel)).toEqual([[], [`@${sam.id}`], [], [`@${sam.id}`]]);
});

test('a group is mentioned on additions and deletions; what joins a message by an edit mentions nobody', async () => {
  const { channel, uri, announcement } = await pinging(`ping ${group} on added, deleted`);
  expect(textOf(announcement)).toContain('Mentions @designers when something is added or deleted');
  await send(uri, 'One.pdf');
  await settled(channel);
  stage.advance(11 * minute);
  await send(uri, 'Two.pdf');
  await settled(channel);
  const [, message, ...more] = stage.slack.messages(channel);
  expect(more).toEqual([]);
  expect(message?.edits).toHaveLength(1);
  expect(JSON.stringify(message?.edits[0]?.blocks)).toContain('<!subteam^S0DESIGN>');
  expect(message?.mentions).toEqual([]);
});

test('a digest and the summary after a mute mention nobody; what a digest excepts does', async () => {
  const { channel, uri } = await pinging(`digest hourly except deleted ping ${at(sam)} on added,deleted`);
  await send(uri, 'In digest.pdf');
  stage.advance(61 * minute);
  await stage.bot.runChore('sweep');
  await settled(channel);
  await send(uri, 'At once.pdf', deleted);
  await settled(channel);
  expect(pingsIn(channel)).toEqual([[], [], [`@${sam.id}`]]);

  const muted = await pinging(`ping ${at(sam)} on added`);
  await type('/plancast mute 1h', muted.channel);
  await stage.slack.waitForMessage(muted.channel, 'muted');
  await send(muted.uri, 'Held.pdf');
  await outside.rows(muted.channel, ({ reason }) => reason === 'muted');
  await type('/plancast unmute', muted.channel);
  await stage.slack.waitForMessage(muted.channel, 'Held.pdf');
  expect(pingsIn(muted.channel).flat()).toEqual([]);
});

test('two subscriptions report one deletion: whichever is first, the one that mentions Sam does', async () => {
  const { channel, uri } = await pinging('');
  await type(`/subscribe folder ${project} plans ping ${at(sam)}`, channel);
  await stage.slack.waitForMessage(channel, 'folder');
  const inside = { path: 'Root/Plans/Gone.pdf', idPath: 'root/plans/gone', item: 'gone', at: stage.now() };
  const folderUri = outside.newest().uri;
  await Promise.all([uri, folderUri].map((to) => send(to, 'Gone.pdf', { ...deleted, ...inside })));
  await settled(channel);
  expect(pingsIn(channel).flat()).toEqual([`@${sam.id}`]);
});

test.each([
  ['ping @nobody', /ping.*can’t be.*@nobody.*picked from the list/s],
  ['ping sam on deleted', /ping.*can’t be.*sam.*picked from the list/s],
  ['ping', /ping.*needs.*a person or user group/s],
  ['ping <!channel>', /ping.*can’t be.*@channel.*never mention a whole channel/s],
  ['ping <!here|here> on deleted', /never mention a whole channel/],
  ['ping @everyone', /never mention a whole channel/],
  ['ping <@U0AAA|a> <@U0BBB|b>', /understood.*ping.*Left out.*@b/s],
  ['ping <@U0AAA|a> on fire', /on.*can’t be.*fire.*added, changed or deleted/s],
  ['ping <@U0NOBODY|nobody>', /couldn’t find that person/],
])('"%s" subscribes to nothing and says why', async (options, answer) => {
  const channel = outside.channel({ members: [dana] });
  await type(`/subscribe ${p} ${options}`, channel);
  await stage.slack.waitForEphemeral(dana, (message) => answer.test(textOf(message)));
  expect(
    await outside.query('select from plancast.subscriptions where channel_id = $1', [channel.id]),
  ).toEqual([]);
});

test('Ravi is not in the channel: the answer says that mentions won’t reach him', async () => {
  await pinging(`ping ${at(stage.ravi, 'ravi')}`, [dana]);
  const answer = await stage.slack.waitForEphemeral(dana, 'Ravi Menon isn’t in this channel');
  expect(answer.mentions).toEqual([]);
});

test('the list, the diff, the export and Undo name whom a subscription mentions, and nobody is pinged by them', async () => {
  const { channel, uri } = await pinging('');
  await type(`/subscribe ${p} ping ${group}`, channel);
  const changed = await stage.slack.waitForMessage(channel, 'Now mentioning @designers');
  expect(textOf(changed)).toContain('• Now mentioning @designers when something is deleted (was: nobody)');
  await type(`/subscribe ${p} ping ${at(sam)} on changed`, channel);
  const again = await stage.slack.waitForMessage(
    channel,
    'Now mentioning Sam Okafor when something is changed',
  );
  await type('/subscriptions', channel);
  await stage.slack.waitForEphemeral(dana, 'Mentions Sam Okafor when something is changed');
  const exported = await outside.ask(dana, '/plancast export', { channel, wanted: /subscribe project/ });
  expect(textOf(exported)).toContain(`ping <@${sam.id}> on changed`);
  await outside.press(dana, again, 'Undo', /./).catch(() => undefined);
  await stage.slack.waitForMessage(channel, /Now mentioning @designers when something is deleted \(was: Sam/);
  await type(`/subscribe ${p} ping off`, channel);
  await stage.slack.waitForMessage(channel, /Now mentioning nobody \(was: @designers/);
  await send(uri, 'Gone.pdf', deleted);
  await settled(channel);
  expect(pingsIn(channel).flat()).toEqual([]);
});

test('in a channel shared with another organization no group can be chosen, nor anybody of theirs', async () => {
  const theirs = stage.slack.addUser({ realName: 'Otto Other', isStranger: true });
  const channel = outside.channel({ members: [dana, sam, theirs], isExtShared: true });
  await type(`/subscribe ${p} ping ${group}`, channel);
  await stage.slack.waitForEphemeral(dana, 'User groups can’t be mentioned');
  await type(`/subscribe ${p} ping ${at(theirs, 'otto')}`, channel);
  await stage.slack.waitForEphemeral(dana, 'only people in this workspace');
});

test('a channel that is shared later mentions its group no more, but still Sam', async () => {
  const { channel, uri } = await pinging(`ping ${group}`);
  await stage.slack.shareChannel(channel);
  await stage.slack.waitForMessage(channel, 'shared with another organization');
  await send(uri, 'Gone.pdf', deleted);
  await settled(channel);
  await type(`/subscribe ${p} ping ${at(sam)}`, channel);
  await stage.slack.waitForMessage(channel, 'Now mentioning Sam');
  await send(uri, 'Also gone.pdf', deleted);
  await settled(channel);
  expect(pingsIn(channel).flat()).toEqual([`@${sam.id}`]);
});
