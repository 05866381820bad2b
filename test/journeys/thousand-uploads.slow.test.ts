import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findElements, labelOf } from '../../sandbox/slack/find-elements.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import type { View } from '../../sandbox/slack/views.ts';
import { followed } from '../support/followed.ts';
import { bodyOf, notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';

const uploads = 1_000;
const folders = ['Plans', 'Details', 'Site'];
const seconds = 55;
/** After this many uploads a file is deleted or the project renamed. */
const noticedAt = [150, 300, 450, 600, 750, 900];
const renamedAt = 600;

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'thousand uploads', rateLimit: 'strict' });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const nameOf = (index: number) => `Sheet ${String(index).padStart(4, '0')}.pdf`;
const placeOf = (index: number) => `Root/${folders[index % folders.length]}/${nameOf(index)}`;

/** Returns the text of a message when it was posted, before any edit. */
const firstTextOf = ({ edits, text }: Message) => edits[0]?.text ?? text;

const buttonOf = ({ blocks }: Message | View, label: string) =>
  findElements(blocks).find((found) => labelOf(found)?.startsWith(label));

/** Returns all names that a message's Show all lists, page by page. */
async function namesUnderShowAll(message: Message): Promise<string[]> {
  const { slack, dana } = stage;
  const showAll = buttonOf(message, 'Show all');
  if (!showAll) return namesIn(slack.textOf(message));
  await slack.click({ user: dana, message, element: showAll });
  const view = await slack.waitForView(dana, 'All changes');
  const names = namesIn(slack.textOf(view));
  while (buttonOf(view, 'Next')) {
    const updates = view.updates;
    await slack.click({ user: dana, view, element: slack.button(view, 'Next') });
    await expect.poll(() => view.updates).toBeGreaterThan(updates);
    names.push(...namesIn(slack.textOf(view)));
  }
  await slack.closeView({ user: dana });
  return names;
}

const namesIn = (text: string): string[] => text.match(/Sheet \d{4}\.pdf/g) ?? [];

test('1,000 uploads into three folders within a minute make at most 20 messages, and 5 deletions and a rename among them stand out', async () => {
  const { slack } = stage;
  const { channel, uri } = await followed(stage, 'uploads');
  const before = slack.messages(channel).length;
  const started = Date.now();
  const sent: Promise<unknown>[] = [];
  for (let index = 0; index < uploads; index += 1) {
    await sleep(Math.max(0, started + (index * seconds * 1_000) / uploads - Date.now()));
    sent.push(notify(uri, { item: `item-${index}`, name: nameOf(index), path: placeOf(index) }));
    if (!noticedAt.includes(index)) continue;
    const gone = index - 100;
    if (index === renamedAt) sent.push(renameProject(uri));
    else
      sent.push(
        notify(uri, { item: `item-${gone}`, name: nameOf(gone), path: placeOf(gone), eventType: 'Delete' }),
      );
  }
  await Promise.all(sent);
  const took = (Date.now() - started) / 1_000;
  await expect.poll(waiting, { timeout: 30_000 }).toBe(0);

  const messages = slack.messages(channel).slice(before);
  const noticed = messages.filter((message) => /deleted|renamed/.test(firstTextOf(message)));
  const hidden = messages.filter(
    (message) => /deleted|renamed/.test(message.text) && !noticed.includes(message),
  );
  const listed = new Set<string>();
  for (const message of messages) for (const name of await namesUnderShowAll(message)) listed.add(name);
  const edits = messages.reduce((sum, message) => sum + message.edits.length, 0);
  process.stdout.write(
    `1,000 uploads in ${took.toFixed(0)} s: ${messages.length} messages, ${edits} edits, ${noticed.length} of them for the 6 to be noticed, ${listed.size} files under Show all\n`,
  );

  expect(took).toBeLessThan(60);
  expect(messages.length).toBeLessThanOrEqual(20);
  expect(noticed.map(({ text }) => text.match(/deleted|renamed/g)?.length)).toEqual(noticedAt.map(() => 1));
  expect(noticed.flatMap((message) => message.edits)).toEqual([]);
  expect(hidden).toEqual([]);
  expect(listed.size).toBe(uploads);

  async function waiting(): Promise<number> {
    const { rows } = await stage.database
      .connect()
      .pool.query("select from plancast.events where channel_id = $1 and state = 'pending'", [channel.id]);
    return rows.length;
  }
}, 180_000);

test('5,130 files come in three messages, of which the second shows 5,000 at once', async () => {
  const { slack } = stage;
  const { channel, uri } = await followed(stage, 'thousands');
  const before = slack.messages(channel).length;
  const add = async (from: number, count: number) => {
    const files = Array.from({ length: count }, (_, n) =>
      bodyOf({ item: `item-${from + n}`, name: `${from + n}.pdf` }),
    );
    // On a busy machine it may be refused with 503, and is sent again as the service does.
    const body = JSON.stringify(files);
    await expect
      .poll(async () => (await fetch(uri, { method: 'POST', body })).status, { timeout: 20_000 })
      .toBe(200);
  };
  await add(0, 30);
  await slack.waitForMessage(channel, 'added 30 files');
  for (let from = 30; from < 5_130; from += 300) await add(from, 300);

  await slack.waitForMessage(channel, 'added 100 files', 30_000);
  const [first, second, third, ...others] = slack.messages(channel).slice(before);
  expect(first?.text).toContain('added 30 files');
  expect(second?.text).toContain('added 5,000 files');
  expect(others).toEqual([]);
  // Slack takes about a message a second in a channel.
  expect((third?.postedAt ?? 0) - (second?.postedAt ?? 0)).toBeGreaterThanOrEqual(1_000);
}, 40_000);

function renameProject(uri: string): Promise<Response> {
  const body = bodyOf({ item: 'none', name: 'Harbour Tower rev B', eventType: 'Update' });
  const { IdPath: _id, Path: _path, ItemType: _type, ...rest } = body.ExtraInformation;
  const ExtraInformation = { ...rest, ResourceType: 'Projects' };
  return fetch(uri, { method: 'POST', body: JSON.stringify({ ...body, ExtraInformation }) });
}
