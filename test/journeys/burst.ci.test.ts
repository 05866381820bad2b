import { afterAll, beforeAll, expect, test } from 'vitest';
import { followed } from '../support/followed.ts';
import { bodyOf, notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'burst', rateLimit: 'strict' });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const send = (uri: string, from: number, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      notify(uri, { item: `item-${from + index}`, name: `Sheet ${from + index}.pdf` }),
    ),
  );

async function postsIn(channelId: string): Promise<{ ts: string | null; state: string; count: number }[]> {
  const { rows } = await stage.database.connect().pool.query(
    `select message_ts as ts, state, count(*)::int as count from plancast.events where channel_id = $1
     group by 1, 2 order by 1`,
    [channelId],
  );
  return rows;
}

/** Waits until a channel has no pending events. */
async function allPosted(channelId: string): Promise<void> {
  const waiting = async () => (await postsIn(channelId)).filter(({ state }) => state === 'pending');
  await expect.poll(waiting).toEqual([]);
}

test('while a folder is uploaded the channel sees one message grow, and afterwards each event gets a message of its own', async () => {
  const { slack } = stage;
  const { channel, uri } = await followed(stage, 'upload');
  const before = slack.messages(channel).length;
  for (let round = 0; round < 5; round += 1) {
    await send(uri, round * 40, 40);
    await new Promise((resolve) => setTimeout(resolve, 900));
  }
  await expect
    .poll(async () => (await postsIn(channel.id)).reduce((sum, { count, ts }) => sum + (ts ? count : 0), 0), {
      timeout: 15_000,
    })
    .toBe(200);
  const posted = slack.messages(channel).slice(before);
  // The first batch is posted at once, the events of the next second start the card, and the rest are edited into it.
  expect(posted.length).toBeLessThanOrEqual(3);
  const card = posted.at(-1);
  if (!card) throw new Error('nothing was posted');
  const posts = await postsIn(channel.id);
  const ofCard = posts.find(({ ts }) => ts === card.ts)?.count ?? 0;
  expect(ofCard).toBeGreaterThan(80);
  expect(card.text).toContain(`added ${ofCard} files`);
  expect(slack.button(card, `Show all ${ofCard}`)).toBeDefined();

  stage.advance(20_000);
  await notify(uri, { item: 'item-900', name: 'Late.pdf' });
  const late = await slack.waitForMessage(channel, 'Late.pdf');
  expect(late.ts).not.toBe(card.ts);
  expect(late.text).not.toContain('more');
}, 40_000);

test('renames during a burst join no message, and theirs says what was renamed from what, also under Show all', async () => {
  const { slack, dana } = stage;
  const { channel, uri } = await followed(stage, 'renames');
  await send(uri, 0, 12);
  await slack.waitForMessage(channel, 'added');
  await allPosted(channel.id);
  const renames = Array.from({ length: 12 }, (_, index) =>
    bodyOf({ item: `item-${index}`, name: `Plan ${index}.pdf`, eventType: 'Update' }),
  );
  await fetch(uri, { method: 'POST', body: JSON.stringify(renames) });
  const message = await slack.waitForMessage(channel, 'renamed');
  await send(uri, 100, 2);
  await allPosted(channel.id);
  expect(message.edits).toEqual([]);
  expect(message.text).toContain('renamed 12 files');
  expect(message.text).toMatch(/“Sheet \d+\.pdf” to “Plan \d+\.pdf”/);
  expect(message.text).not.toContain('added');
  await slack.click({ user: dana, message, element: slack.button(message, 'Show all 12') });
  const view = await slack.waitForView(dana, 'Plan 7.pdf');
  const shown = slack.textOf(view);
  expect(shown).toContain('*Sheet 7.pdf* → *Plan 7.pdf*');
  expect(shown.indexOf('Plan 9.pdf')).toBeLessThan(shown.indexOf('Plan 10.pdf'));
  // Dana looks for a part of a name, a former one too, and asks for the newest first: both hold for what is drawn next.
  await slack.submitView({ user: dana, values: { show_all_find: 'SHEET 10' } });
  const found = await slack.waitForView(dana, 'of 12 changes with “SHEET 10” in the name');
  expect(slack.textOf(found)).not.toContain('Plan 7.pdf');
  await slack.click({ user: dana, view: found, element: slack.button(found, 'Newest first') });
  const newest = slack.textOf(await slack.waitForView(dana, 'Sort by folder and name'));
  expect(newest).toMatch(/1 of 12 changes.*Sheet 10\.pdf\* → \*Plan 10\.pdf/s);
  expect(newest).not.toContain('Plan 7.pdf');

  // Dana is removed from the channel: neither the open form nor the message's button shows her anything more.
  channel.members.delete(dana.id);
  // Channel membership is cached for a moment, in the database.
  await stage.database.connect().pool.query(`delete from plancast.keyv where key like 'in-channel:%'`);
  const next = { type: 'button', action_id: 'show_all_next', value: '0' };
  const element = { blockId: 'pages', actionId: 'show_all_next', element: next, input: undefined };
  await slack.click({ user: dana, view, element });
  const refused = await slack.waitForView(dana, 'Only people in the channel can do that');
  expect(JSON.stringify(refused)).not.toMatch(/Plan \d+\.pdf/);
  await slack.click({ user: dana, message, element: slack.button(message, 'Show all 12') });
  await slack.waitForEphemeral(dana, 'Only people in the channel can do that');
});

test('if a message is deleted while it grows, a new one follows, and nothing is lost', async () => {
  const { slack } = stage;
  const { channel, uri } = await followed(stage, 'deleted');
  await send(uri, 0, 30);
  await allPosted(channel.id);
  slack.fault({ method: 'chat.update', error: 'message_not_found', channel: channel.id });
  await send(uri, 100, 30);
  await allPosted(channel.id);
  const posts = await postsIn(channel.id);
  expect(posts.reduce((sum, { count }) => sum + count, 0)).toBe(60);
  expect(posts.every(({ ts }) => slack.messages(channel).some((message) => message.ts === ts))).toBe(true);
});
