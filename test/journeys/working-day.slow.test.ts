import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import { bodyOf, type Notice } from '../support/notify.ts';
import { deadlineDay, siteDay } from '../support/other-working-days.ts';
import { settled } from '../support/settled.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { changesOfDay, type DayChange } from '../support/working-day.ts';

const projects = ['412-873-550', '538-204-917', '660-118-342'] as const;
const session = '731-450-286';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'working day' });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

// The other two are what rolls up least: nobody's changes join another person's message, and renames, moves and deletions join none.
test.each([
  ['a working day', changesOfDay(), 60],
  ['the day before a deadline, when several people save the same files in turn', deadlineDay(), 350],
  ['a day on a building site, with many small uploads', siteDay(), 235],
] as const)(
  '400 changes of %s come in one channel, none missing',
  async (name, changes, most) => {
    const { slack, service, dana } = stage;
    const channel = slack.addChannel({ members: [dana] });
    const uris = new Map<string, string>();
    for (const id of [...projects, session]) {
      const before = new Set(service.subscriptions.all().map(({ uri }) => uri));
      await stage.type(dana, `/subscribe ${id === session ? 'session' : 'project'} ${id}`, channel);
      await expect.poll(() => slack.messages(channel).length).toBe(uris.size + 1);
      uris.set(id, service.subscriptions.all().find(({ uri }) => !before.has(uri))?.uri ?? '');
    }
    const before = slack.messages(channel).length;
    await replay(channel, uris, changes);

    const messages = slack.messages(channel).slice(before);
    const edits = messages.reduce((sum, message) => sum + message.edits.length, 0);
    const firstLines = messages.map(({ text }) => `  ${text.slice(0, 160)}`);
    process.stdout.write(
      `${name}: 400 changes, ${messages.length} messages, ${edits} edits\n${firstLines.join('\n')}\n`,
    );
    expect(messages.length).toBeLessThanOrEqual(most);
    const { rows } = await stage.database
      .connect()
      .pool.query(`select from plancast.events where channel_id = $1 and state = 'posted'`, [channel.id]);
    expect(rows).toHaveLength(400);
  },
  600_000,
);

/** Sends the day's changes at their times on the stage's clock. */
async function replay(
  channel: Channel,
  uris: ReadonlyMap<string, string>,
  changes: readonly DayChange[],
): Promise<void> {
  let atMs = 0;
  for (const change of changes) {
    const gapMs = change.atMs - atMs;
    atMs = change.atMs;
    const start = stage.now().getTime();
    // Edits that become due in between are made at their time.
    if (gapMs > 6_000) await settled(stage, channel);
    stage.advance(Math.max(0, gapMs - (stage.now().getTime() - start)));
    const parent = change.in === 'session' ? session : (projects[change.in] ?? '');
    const response = await fetch(uris.get(parent) ?? '', {
      method: 'POST',
      body: JSON.stringify(noticeOf(change, parent)),
    });
    expect(response.status).toBe(200);
    await sleep(40);
  }
  await settled(stage, channel);
}

function noticeOf(change: DayChange, parent: string) {
  const { what, file, person, eventType } = change;
  const notice: Notice = {
    item: file,
    name: change.name ?? `${file}.pdf`,
    user: `${person}@example.com`,
    at: stage.now(),
    eventType,
    projectId: parent,
    path: `Root/${change.folder}/${change.name ?? `${file}.pdf`}`,
    idPath: `root/${change.folder}/${file}`,
  };
  const body = bodyOf(notice);
  if (change.in !== 'session') return body;
  const { IdPath: _id, Path: _path, ItemType: _type, ...rest } = body.ExtraInformation;
  const isItself = what === 'finalize';
  return {
    ...body,
    Resource: `/Primes/1/Sessions/${parent}/${isItself ? '' : `SessionDocuments/${file}/`}`,
    ExtraInformation: { ...rest, ResourceType: isItself ? 'Sessions' : 'SessionDocuments' },
  };
}
