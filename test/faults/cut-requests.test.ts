import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorizeAs } from '../../sandbox/service/authorize-as.ts';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import type { View } from '../../sandbox/slack/views.ts';
import { recordOf } from '../support/remote-rows.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';
import { type Cut, type CutRequest, startCuttingCalls } from './support/cut-calls.ts';

const project = '412-873-550';
const minute = 60_000;
let stage: Stage;
let cutting: ReturnType<typeof startCuttingCalls>;
const { newChannel, following, press, query } = makeStageActions(() => stage);

beforeAll(async () => {
  cutting = startCuttingCalls();
  // A check of many links pauses for a second between eight of them.
  stage = await setStage({ name: 'cut requests', sleep: () => wait(1) });
  await stage.link(stage.dana, 'dana@example.com');
  await stage.link(stage.sam, 'sam@example.com');
});
afterAll(async () => {
  await stage.close();
  cutting.stop();
});

test('Undo, cut at any of its calls: the subscription is back and announced, or it can be added again', async () => {
  const { slack, dana, sam } = stage;
  const runs = await cutEverywhere('/slack/events', {
    prepare: async () => {
      const channel = newChannel('undo', [dana, sam]);
      await following(dana, channel);
      await stage.type(sam, `/unsubscribe project ${project}`, channel);
      return { channel, removed: await slack.waitForMessage(channel, 'removed') };
    },
    act: ({ removed }) => press(dana, removed, 'Undo'),
  });
  await repair();
  expect(await notAnnounced(runs, 2)).toEqual([]);
  await subscribeAgain(runs.map(({ scene }) => ({ ...scene, user: dana })));
  expect(await notSubscribed(runs, 2)).toEqual([]);
  expect(await strays()).toEqual([]);
});

test('I narrow a subscription, cut at any of the calls: it is changed here and there and announced, or nothing is', async () => {
  const { dana } = stage;
  const runs = await cutEverywhere('/slack/events', {
    prepare: async () => {
      const channel = newChannel('change', [dana]);
      await following(dana, channel);
      return { channel };
    },
    act: ({ channel }) => stage.type(dana, `/subscribe project ${project} itself`, channel),
  });
  await repair();
  const wrong = [];
  for (const run of runs) {
    const [row] = await liveIn(run.scene.channel);
    const there = stage.service.subscriptions.byId(Number(row?.record));
    const seen = [row?.state, row?.comprehensive, there?.comprehensive];
    const isChanged = countPosted(run.scene.channel, 'changed') === 1;
    const expected = ['active', !isChanged, !isChanged];
    if (`${seen}` !== `${expected}`) wrong.push(`${titleOf(run)}: ${seen} (announced: ${isChanged})`);
    const audited = await countAudited(run.scene.channel, 'change subscription');
    if (audited !== Number(isChanged)) wrong.push(`${titleOf(run)}: ${audited} in the audit log`);
  }
  expect(wrong).toEqual([]);
  expect(await strays()).toEqual([]);
});

const submitLabel = ({ submit }: View) => JSON.parse(JSON.stringify(submit ?? {})).text;

test('an import, cut at any of its calls: its line is added and announced, or I can add it again', async () => {
  const { slack, dana } = stage;
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other, since a person has all these forms open. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done;
    return done;
  };
  const runs = await cutEverywhere('/slack/events', {
    prepare: () =>
      inTurn(async () => {
        // Minutes that pass would need new tokens, which a cut can lose with the link.
        await query('delete from plancast.command_tries');
        const channel = newChannel('import', [dana]);
        const values = { import_text: `${channel.id}\n/subscribe project ${project}` };
        await stage.type(dana, '/plancast import', channel);
        const form = await slack.waitForView(dana, (view) => view.isOpen && submitLabel(view) === 'Check');
        await slack.submitView({ user: dana, viewId: form, values });
        await slack.waitForView(dana, (view) => view.id === form.id && submitLabel(view) === 'Import 1');
        return { channel, form, values, user: dana };
      }),
    act: ({ form, values }) => slack.submitView({ user: dana, viewId: form, values }),
  });
  await repair();
  expect(await notAnnounced(runs)).toEqual([]);
  await subscribeAgain(runs.map(({ scene }) => scene));
  expect(await notSubscribed(runs)).toEqual([]);
  expect(await strays()).toEqual([]);
});

test("a channel's new id, cut at any of the calls: everything is under one id, and Slack's repetition of the event moves it", async () => {
  const { slack, dana } = stage;
  const runs = await cutEverywhere('/slack/events', {
    prepare: async () => {
      const [before, channel] = [newChannel('before', [dana]), newChannel('after', [dana])];
      await following(dana, before);
      return { before, channel, sent: [] as Awaited<ReturnType<typeof slack.event>>[] };
    },
    act: async ({ before, channel, sent }) => {
      const ids = { old_channel_id: before.id, new_channel_id: channel.id };
      sent.push(await slack.event({ type: 'channel_id_changed', ...ids }));
    },
  });
  const wrong = [];
  for (const run of runs) {
    const { before, channel, sent } = run.scene;
    const where = async () => [(await liveIn(before)).length, (await liveIn(channel)).length].join();
    const first = await where();
    const isTaken = sent[0]?.status === 200;
    if (first !== '0,1' && (first !== '1,0' || isTaken)) wrong.push(`${titleOf(run)}: ${first}`);
    await sent[0]?.replay(1);
    if ((await where()) !== '0,1') wrong.push(`${titleOf(run)}, again: ${await where()}`);
  }
  expect(wrong).toEqual([]);
  expect(await strays()).toEqual([]);
});

test('linking with a command that waits, cut at any of its calls: if I am linked, I read it, and my command is carried out once', async () => {
  const { slack, teamId } = stage;
  const email = 'dana@example.com';
  const runs = await cutEverywhere('/oauth/callback', {
    prepare: async () => {
      const user = slack.addUser({ teamId, name: randomUUID(), email });
      const channel = newChannel('link', [user]);
      await stage.type(user, `/subscribe project ${project}`, channel);
      return { user, channel, page: '', ...(await goToService(user)) };
    },
    act: async (scene) => {
      const answer = await fetch(scene.back, { headers: { cookie: scene.cookie } });
      scene.page = await answer.text();
    },
  });
  await repair();
  await expect.poll(() => notAnnounced(runs)).toEqual([]);
  const linked = new Set((await query('select user_id from plancast.links')).map((row) => row.user_id));
  // If the answer to the commit is lost, nobody can know.
  const contrary = runs.filter(
    ({ scene, cut, request }) =>
      cut.how === 'unanswered' &&
      request.calls()[cut.nth - 1] !== 'commit' &&
      scene.page.includes('You’re linked') !== linked.has(scene.user.id),
  );
  expect(contrary.map(titleOf)).toEqual([]);
  const wrong = await Promise.all(runs.map((run) => afterLinking(run, linked.has(run.scene.user.id))));
  expect(wrong.flat()).toEqual([]);
  await inGroups(
    runs.filter(({ scene }) => !linked.has(scene.user.id)),
    ({ scene: { user, channel } }) => stage.link(user, email, channel),
  );
  await subscribeAgain(runs.map(({ scene }) => scene));
  expect(await notSubscribed(runs)).toEqual([]);
  expect(await strays()).toEqual([]);
});

type Scene = { readonly channel: Channel };
type Run<S extends Scene> = { readonly scene: S; readonly cut: Cut; readonly request: CutRequest };

/** A person may type or press 30 times a minute. */
const atOnce = 24;
/** The answer to these can be lost after they had an effect. */
const hasEffect = /^(?!select|begin)/i;

/**
 * Prepares a scene and acts in it once for each call that this makes: killed before the call, and again with the call's answer lost.
 * `act` makes one request to a path that begins like this.
 */
async function cutEverywhere<S extends Scene>(
  path: string,
  { prepare, act }: { readonly prepare: () => Promise<S>; readonly act: (scene: S) => Promise<unknown> },
): Promise<Run<S>[]> {
  async function attempt(cuts: readonly Cut[]): Promise<Run<S>[]> {
    stage.advance(minute);
    const scenes = await Promise.all(cuts.map(async (cut) => ({ cut, scene: await prepare() })));
    stage.advance(minute);
    const runs: Run<S>[] = [];
    for (const { cut, scene } of scenes) {
      const request = cutting.next(path, cut);
      await act(scene);
      runs.push({ cut, scene, request });
    }
    await Promise.all(runs.map(({ request }) => request.settled()));
    return runs;
  }

  const [whole] = await attempt([{ how: 'killed', nth: Number.POSITIVE_INFINITY }]);
  const cuts = (whole?.request.calls() ?? []).flatMap((call, at): Cut[] => [
    { how: 'killed', nth: at + 1 },
    ...(hasEffect.test(call) ? [{ how: 'unanswered', nth: at + 1 } as const] : []),
  ]);
  const runs: Run<S>[] = [];
  while (cuts.length > 0) runs.push(...(await attempt(cuts.splice(0, atOnce))));
  process.stderr.write(`${path}: ${whole?.request.calls().length} calls, cut ${runs.length} times\n`);
  return runs;
}

/** Runs the chores of the next hours. */
async function repair(): Promise<void> {
  for (const minutes of [1, 11]) {
    stage.advance(minutes * minute);
    await stage.bot.runChore('sweep');
  }
  // The hourly check leaves out a link that a check of the minutes before is still at work on; the next one does not.
  const nextHour = async () => {
    stage.advance(60 * minute);
    await stage.checkLinks();
    return strays();
  };
  await expect.poll(nextHour, { timeout: 60_000 }).toEqual([]);
  await allPosted();
}

async function allPosted(): Promise<void> {
  await expect.poll(() => query('select 1 from plancast.announcements'), { timeout: 20_000 }).toEqual([]);
}

async function inGroups<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < all.length; at += atOnce) {
    stage.advance(minute);
    await Promise.all(all.slice(at, at + atOnce).map(work));
  }
}

/** Subscribes each channel that is not subscribed, as its person would. */
async function subscribeAgain(
  scenes: readonly { readonly user: User; readonly channel: Channel }[],
): Promise<void> {
  await inGroups(scenes, async ({ user, channel }) => {
    if ((await liveIn(channel)).length > 0) return;
    await stage.type(user, `/subscribe project ${project}`, channel);
    await expect.poll(() => liveIn(channel)).toMatchObject([{ state: 'active' }]);
  });
  await allPosted();
}

/** Does what a browser does up to the service's redirect back, for a person who was just offered a link. */
async function goToService(user: User): Promise<{ back: string; cookie: string }> {
  const offer = await stage.slack.waitForEphemeral(user, 'to continue');
  const page = String(stage.slack.button(offer, 'Link').element.url);
  const headers = { origin: new URL(page).origin, 'content-type': 'application/x-www-form-urlencoded' };
  const sent = await fetch(page, { method: 'POST', redirect: 'manual', headers });
  const cookie = sent.headers.getSetCookie().map((line) => line.split(';')[0]);
  const back = await authorizeAs(String(sent.headers.get('location')), 'dana@example.com');
  return { back, cookie: cookie.join('; ') };
}

function liveIn({ id }: Channel) {
  return query(
    `select state, comprehensive, ${recordOf} as record
     from plancast.subscriptions s where channel_id = $1 and state <> 'ended'`,
    [id],
  );
}

const countPosted = (channel: Channel, text: string) =>
  stage.slack.messages(channel).filter((message) => message.text.includes(text)).length;

const titleOf = ({ cut: { how, nth }, request }: Run<Scene>) =>
  `${how} at ${nth}, ${request.calls()[nth - 1]}`;

const countAudited = async ({ id }: Channel, act: string) =>
  (await query('select 1 from plancast.audit where channel_id = $1 and act = $2', [id, act])).length;

/** Returns what a person would miss, or find done twice, after a run of linking with a command that waits. */
async function afterLinking(run: Run<Scene & { readonly user: User }>, isLinked: boolean): Promise<string[]> {
  const { slack } = stage;
  const { user, channel } = run.scene;
  const wrong: string[] = [];
  const read = slack.directMessages(user).filter(({ text }) => text.includes('You’re now linked')).length;
  // Slack offers no way to find out whether it has sent a direct message.
  const most = reached(run, /^Slack .*chat\.postMessage/) ? 2 : 1;
  if (isLinked ? read < 1 || read > most : read > 0) wrong.push(`read ${read} times`);
  const audited = await query(`select 1 from plancast.audit where act = 'link' and user_id = $1`, [user.id]);
  if (audited.length !== Number(isLinked)) wrong.push(`${audited.length} in the audit log`);
  const isMissing = isLinked && (await liveIn(channel)).length === 0;
  // From this statement on, the command counts as carried out.
  if (isMissing && !reached(run, /^update plancast\.link_attempts set request/))
    wrong.push('the command was not carried out');
  if (slack.ephemerals(user).some(({ text }) => text.includes('already')))
    wrong.push('the command was carried out twice');
  return wrong.map((what) => `${titleOf(run)}: ${what}`);
}

/** Returns whether a run made such a call before it was cut, or was cut there. */
const reached = ({ cut: { nth }, request }: Run<Scene>, call: RegExp) =>
  request
    .calls()
    .slice(0, nth)
    .some((each) => call.test(each));

/** Names the runs after which a channel has a subscription that was not announced or audited, or one of these without it. */
async function notAnnounced(runs: readonly Run<Scene>[], whenSubscribed = 1): Promise<string[]> {
  const wrong: string[] = [];
  for (const run of runs) {
    const rows = await liveIn(run.scene.channel);
    const posted = countPosted(run.scene.channel, 'to this channel');
    const expected = rows.length === 0 ? whenSubscribed - 1 : whenSubscribed;
    const audited = await countAudited(run.scene.channel, 'subscribe');
    if (posted !== expected || audited !== posted)
      wrong.push(`${titleOf(run)}: ${rows.length} live, ${posted} announced, ${audited} in the audit log`);
  }
  return wrong;
}

/** Names the runs after which a channel is not subscribed once and announced as often as it was subscribed. */
async function notSubscribed(runs: readonly Run<Scene>[], announced = 1): Promise<string[]> {
  const wrong = await notAnnounced(runs, announced);
  for (const run of runs) {
    const states = (await liveIn(run.scene.channel)).map(({ state }) => state);
    if (`${states}` !== 'active') wrong.push(`${titleOf(run)}: ${states}`);
  }
  return wrong;
}

/** Lists remote subscriptions without a live row, and live rows without a remote subscription. */
async function strays(): Promise<string[]> {
  const rows = await query(
    `select channel_id, ${recordOf} as record from plancast.subscriptions s where state <> 'ended'`,
  );
  const here = new Set(rows.map(({ record }) => record));
  const there = new Set(stage.service.subscriptions.all().map(({ id }) => String(id)));
  return [
    ...[...there].filter((id) => !here.has(id)),
    ...rows.filter(({ record }) => !there.has(record)).map((row) => row.channel_id),
  ];
}
