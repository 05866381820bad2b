import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRandom } from '../../bench/load/random.ts';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import type { ChildBot } from '../support/child-bot.ts';
import { nameOf, officeWith } from '../support/office.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

/*
 * Processes are killed at any moment while people subscribe, change and unsubscribe, at a service that is slow and cuts answers. `KILLS` is how
 * many, `SEED` chooses the moments.
 */

const size = { kills: Number(process.env.KILLS ?? 200), checkedAfter: 10, people: 12, atOnce: 6 };
/** How long the moments of a kill are spread over, in milliseconds. */
const killedWithin = 900;
const project = 'project 412-873-550';
const lines = [
  `/subscribe ${project}`,
  `/subscribe ${project} itself`,
  `/unsubscribe ${project}`,
  `/subscribe ${project} only delete`,
];
const accounts = Array.from({ length: size.people }, (_, at) => `person-${at}@example.com`);

let stage: Stage;
let members: readonly { readonly user: User; readonly account: string; readonly channel: Channel }[];
const { query } = makeStageActions(() => stage);

beforeAll(async () => {
  stage = await setStage({ name: 'kill syncing', seed: officeWith(accounts) });
  const { slack, teamId } = stage;
  members = accounts.map((account) => {
    const user = slack.addUser({ teamId, realName: nameOf(account), name: nameOf(account), email: account });
    stage.plans.members.add(user.id);
    return { user, account, channel: slack.addChannel({ members: [user] }) };
  });
  for (const { user, account } of members) await stage.link(user, account);
}, 120_000);
afterAll(() => stage.close());

test(`${size.kills} kills while people subscribe, change and unsubscribe, at a slow service that cuts answers: ten minutes later the lists and the service agree, and nothing is left over`, async () => {
  const random = makeRandom(Number(process.env.SEED ?? 42));
  const seen = { killedWhileAsking: 0, madeUnknown: 0, notDeleted: 0, minutes: 0 };
  const wrong: (LeftOver & { readonly kills: number })[] = [];
  let next = startVictim();
  for (let kills = 1; kills <= size.kills; kills += 1) {
    const victim = await next;
    next = kills < size.kills ? startVictim() : next;
    beSlow(random);
    sendTo(victim);
    const typing = members.filter((_, at) => (at + kills) % size.people < size.atOnce);
    const typed = typing.map(async ({ user, channel }) => {
      await sleep(random() * killedWithin * 0.4);
      await stage.type(user, lines[Math.floor(random() * lines.length)] ?? '', channel);
    });
    await momentToKill(random);
    await victim.end('SIGKILL');
    await Promise.allSettled(typed);
    stage.service.faults.clear();
    sendTo(stage.bot);
    if ((await asking()) > 0) seen.killedWhileAsking += 1;
    const differing = await leftOver();
    seen.madeUnknown += differing.unknown.length > 0 ? 1 : 0;
    seen.notDeleted += differing.unwanted > 0 ? 1 : 0;
    if (kills % size.checkedAfter > 0 && kills < size.kills) continue;
    const { minutes, left } = await afterMinutes();
    seen.minutes = Math.max(seen.minutes, minutes);
    if (!isClean(left)) wrong.push({ kills, ...left });
  }
  expect(wrong).toEqual([]);
  process.stderr.write(`${size.kills} kills: ${JSON.stringify(seen)}\n`);
}, 3_600_000);

/** Lets minutes pass until nothing is left over, ten at most. */
async function afterMinutes(): Promise<{ readonly minutes: number; readonly left: LeftOver }> {
  let minutes = 0;
  for (; minutes < 10 && !isClean(await leftOver()); minutes += 1) await minutePasses();
  return { minutes, left: await leftOver() };
}

/** Starts another process, at the address of the bot in this one. Commands go on where they went. */
async function startVictim(): Promise<ChildBot> {
  const victim = await stage.startChild({ env: { PUBLIC_URL: stage.bot.publicUrl } });
  sendTo(receiver ?? stage.bot);
  return victim;
}

/** The process that commands are sent to. */
let receiver: Pick<ChildBot, 'publicUrl'> | undefined;

function sendTo(bot: Pick<ChildBot, 'publicUrl'>): void {
  receiver = bot;
  stage.slack.botRequestUrl = `${bot.publicUrl}/slack/events`;
}

/** Waits for any moment, mostly while the service is being asked. */
async function momentToKill(random: () => number): Promise<void> {
  const isAny = random() < 0.3;
  for (const until = Date.now() + 5_000; !isAny && Date.now() < until; await sleep(10)) {
    if ((await asking()) > 0) break;
  }
  await sleep(random() * killedWithin * (isAny ? 2 : 0.6));
}

/** Counts the requests to make something that are under way. */
async function asking(): Promise<number> {
  const [row] = await query(
    `select count(*)::int as count from plancast.remotes where made_at is null and lost_at is null and deleted_at is null`,
  );
  return row.count;
}

/** Has the service take its time for all that it is asked, and lose answers of what it has carried out. */
function beSlow(random: () => number): void {
  const { faults } = stage.service;
  faults.set({ endpoint: 'every', kind: 'delay', ms: 40 + random() * 120 });
  faults.set({ endpoint: 'every', kind: 'delay', ms: random() * 120, committed: true });
  for (const endpoint of ['create', 'create comprehensive', 'delete'] as const) {
    faults.set({ endpoint, kind: 'reset', committed: true, times: 1, after: Math.floor(random() * 4) });
    if (random() < 0.3) faults.set({ endpoint, kind: 'answer', status: 503, times: 1 });
  }
}

/** Lets a minute pass. Only the rows grow older, because the clocks of all processes have to agree. */
async function minutePasses(): Promise<void> {
  await query(
    `with l as (update plancast.links set checking_until = checking_until - interval '1 minute', rests_until = rests_until - interval '1 minute'),
       r as (update plancast.remotes set asked_at = asked_at - interval '1 minute', retry_at = retry_at - interval '1 minute')
     update plancast.subscriptions set changed_at = changed_at - interval '1 minute', created_at = created_at - interval '1 minute'`,
  );
  await stage.bot.runChore('sweep');
}

type LeftOver = {
  /** What the service has and no list. */
  readonly unknown: readonly string[];
  /** What is listed, and the service does not have. */
  readonly missing: readonly string[];
  /** Rows that are still to be made, found or deleted. */
  readonly unsettled: number;
  readonly unwanted: number;
};
const isClean = ({ unknown, missing, unsettled, unwanted }: LeftOver) =>
  unknown.length + missing.length + unsettled + unwanted === 0;

async function leftOver(): Promise<LeftOver> {
  const rows: { id: string; account: string }[] = await query(
    `select r.service_id as id, l.account || case when r.comprehensive then ' whole' else ' itself' end as account
     from plancast.subscriptions s join plancast.remotes r on r.subscription_id = s.id and r.made_at is not null and r.deleted_at is null
     join plancast.links l on l.id = r.link_id where s.state = 'active' and r.comprehensive = s.comprehensive and r.lost_at is null`,
  );
  const [counts] = await query(
    `select (select count(*) from plancast.remotes where made_at is null and deleted_at is null)::int
         + (select count(*) from plancast.subscriptions where state = 'pending')::int as unsettled,
       (select count(*) from plancast.remotes r join plancast.subscriptions s on s.id = r.subscription_id
        where r.made_at is not null and r.deleted_at is null
          and (s.state = 'ended' or r.comprehensive <> s.comprehensive or r.lost_at is not null))::int as unwanted`,
  );
  const here = new Set(rows.map(({ id, account }) => `${id} ${account}`));
  const there = new Set(
    stage.service.subscriptions
      .all()
      .map(({ id, user, comprehensive }) => `${id} ${user} ${comprehensive ? 'whole' : 'itself'}`),
  );
  return {
    unknown: [...there].filter((each) => !here.has(each)),
    missing: [...here].filter((each) => !there.has(each)),
    unsettled: counts.unsettled,
    unwanted: counts.unwanted,
  };
}
