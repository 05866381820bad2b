import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import type { User } from '../../sandbox/slack/directory.ts';
import { findElements, labelOf } from '../../sandbox/slack/find-elements.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import type { SlackPerson } from '../../src/core/model/people.ts';
import type { Subscription } from '../../src/store/tables/subscription-row.ts';
import * as subscriptionsTable from '../../src/store/tables/subscriptions.ts';
import { linkDirectly } from './link-directly.ts';
import { onDb } from './on-db.ts';
import { type StageOptions, setStage } from './stage.ts';

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** What is followed, as it is typed. */
export const tower = 'project 412-873-550';
export const school = 'project 538-204-917';
export const bridge = 'project 660-118-342';
export const review = 'session 731-450-286';

export const accounts = { dana: 'dana@example.com', sam: 'sam@example.com', lee: 'lee@example.com' } as const;

/** A stage for what stands at the service: each test has people and a channel of its own, and nothing of the tests before. */
export type Remotes = Awaited<ReturnType<typeof setUpRemotes>>;

/** Sets a stage whose bots note how long they wait between two links, and hardly do. */
export async function setUpRemotes(name: string, options: Pick<StageOptions, 'seed' | 'database'> = {}) {
  const sleeps: number[] = [];
  const logged: string[] = [];
  const stage = await setStage({
    ...options,
    name,
    rateLimit: 'off',
    skipsPauses: true,
    sleep: async (milliseconds) => {
      sleeps.push(milliseconds);
      await wait(Math.min(milliseconds, 10));
    },
    onLog: (line) => logged.push(line),
  });
  const { slack, service, teamId } = stage;
  const { db } = stage.database.connect();
  const subscriptions = onDb(db, subscriptionsTable);
  /** Another process of the bot. */
  const other = await stage.addCore();
  const { links } = other;

  const newDana = () =>
    slack.addUser({ teamId, realName: 'Dana Reyes', name: 'Dana Reyes', email: accounts.dana });
  const newSam = () =>
    slack.addUser({ teamId, realName: 'Sam Okafor', name: 'Sam Okafor', email: accounts.sam });
  let dana = newDana();
  let sam = newSam();
  let plans = slack.addChannel({ members: [dana, sam] });
  const personOf = ({ id }: Pick<User, 'id'>): SlackPerson => ({ enterpriseId: null, teamId, userId: id });
  const lane = () => ({ enterpriseId: null, teamId, channelId: plans.id });

  async function query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await stage.database.connect().pool.query<Row>(text, [...values])).rows;
  }

  /** Returns the row of this resource in the channel that has not ended, or else the ended one. */
  async function rowOf(line: string): Promise<Subscription> {
    const [found] = await query<{ id: string }>(
      `select id from plancast.subscriptions where channel_id = $1 and $2 like '%' || parent_id || '%'
       order by state = 'ended', created_at desc`,
      [plans.id, line],
    );
    const row = found && (await subscriptions.byId(found.id));
    if (!row) throw new Error('there is no such row');
    return row;
  }

  /** Waits until everything announced in the channel is posted, and returns it, oldest first, without renames as they happened. */
  async function announced(): Promise<Message[]> {
    const waiting = 'select id from plancast.announcements where channel_id = $1';
    await expect.poll(() => query(waiting, [plans.id]), { interval: 10 }).toEqual([]);
    const isNotice = ({ text }: Message) => !text.includes('renamed') || text.includes('While paused');
    return slack.messages(plans).filter(isNotice);
  }

  const idsOf = (account: string) => service.subscriptions.ofUser(account).map(({ id }) => String(id));

  /** Runs what the bot does each minute. */
  async function sweep(): Promise<void> {
    await stage.bot.runChore('sweep');
    await stage.bot.runChore('unlinkings');
  }

  return {
    stage,
    service,
    slack,
    db,
    subscriptions,
    links,
    other,
    sleeps,
    logged,
    query,
    rowOf,
    personOf,
    idsOf,
    get dana() {
      return dana;
    },
    get sam() {
      return sam;
    },
    get plans() {
      return plans;
    },
    /** The same bot under another host name. */
    otherUrl: stage.bot.publicUrl.replace('127.0.0.1', 'localhost'),
    advance: stage.advance,
    reconcile: stage.checkLinks,
    sweep,
    /** Lets minutes pass, with what the bot does in each. */
    async passMinutes(count: number): Promise<void> {
      for (let minutes = 0; minutes < count; minutes++) {
        stage.advance(minute);
        await sweep();
      }
    },

    /** Types a command that subscribes the channel, and waits for what it says. */
    async follow(line: string, by: User = dana): Promise<Subscription> {
      await announced();
      const before = slack.allMessages.length;
      await stage.type(by, `/subscribe ${line}`, plans);
      const isAnswer = ({ channelId, viewerId }: Message) =>
        channelId === plans.id && (viewerId === undefined || viewerId === by.id);
      await expect.poll(() => slack.allMessages.slice(before).some(isAnswer), { interval: 10 }).toBe(true);
      return rowOf(line);
    },

    /** Types the line of a subscription that has stopped, and presses Take over in the answer. */
    async takeOver(line: string, by: User): Promise<void> {
      await stage.type(by, `/subscribe ${line}`, plans);
      const answer = await slack.waitForEphemeral(by, /is paused:/);
      await slack.click({ user: by, message: answer, element: slack.button(answer, 'Take over') });
      await slack.waitForMessage(plans, `${by.realName} took over`);
    },

    /** Types a command that unsubscribes the channel, and waits until it is announced. */
    async unfollow(line: string, by: User = dana): Promise<void> {
      await stage.type(by, `/unsubscribe ${line}`, plans);
      await slack.waitForMessage(plans, `${by.realName} removed`);
    },

    link: (user: Pick<User, 'id'>, account: string) => linkDirectly(other, personOf(user), account),

    /** A row as it is committed before the service is asked: the tower, by Dana. */
    newRow: (): subscriptionsTable.NewSubscription => ({
      ...lane(),
      ownerUserId: dana.id,
      target: { kind: 'project', projectId: '412-873-550' },
      comprehensive: true,
      filters: { only: [], paths: [], by: [], notBy: [] },
      delivery: { when: 'live' },
      threads: false,
      now: stage.now(),
    }),

    /** Makes a remote subscription with Dana's account, as other software would. */
    async makeElsewhere(callbackUrl: string): Promise<string> {
      const response = await fetch(`${service.baseUrl}/notifications/subscriptions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.accessToken(accounts.dana)}` },
        body: new URLSearchParams({
          ParentResourceType: 'Projects',
          ProjectId: '412-873-550',
          Uri: callbackUrl,
        }),
      });
      const { SubscriptionId } = (await response.json()) as { SubscriptionId: number };
      return String(SubscriptionId);
    },

    /** Removes a remote subscription at the service, without a word to the bot. */
    removeAtService({ serviceSubscriptionId }: Pick<Subscription, 'serviceSubscriptionId'>): void {
      const record = service.subscriptions.byId(Number(serviceSubscriptionId));
      if (!record) throw new Error('the service has no such subscription');
      service.subscriptions.remove(record);
    },

    /** Sam renames the tower and names it as before: two notifications. */
    rename(name: string): void {
      const act = { action: 'rename-project' } as const;
      service.act(accounts.sam, { ...act, project: 'Harbour Tower', name });
      service.act(accounts.sam, { ...act, project: name, name: 'Harbour Tower' });
    },

    /** Waits for the notifications that the service sent, and returns the stored events of the row. */
    async eventsOf({ id }: Subscription) {
      await service.settled();
      return query<{ state: string; reason: string | null; summary: string | null }>(
        'select state, reason, summary from plancast.events where subscription_id = $1 order by seq',
        [id],
      );
    },

    posted: async () => (await announced()).map((message) => slack.textOf(message)),

    /** Returns the button labels of the newest announcement in the channel. */
    async buttonsOfNewest(): Promise<(string | undefined)[]> {
      return findElements((await announced()).at(-1)?.blocks)
        .filter(({ element }) => element.type === 'button')
        .map((found) => labelOf(found));
    },

    /** Counts the creates that the service has answered so far, successful or not. */
    creates: () => service.log.of('request').filter(({ endpoint }) => endpoint.startsWith('create')).length,

    /** Changes a person in Slack. */
    async becomes(user: User, change: Partial<User>): Promise<void> {
      Object.assign(user, change);
      await stage.forgetSlack();
    },

    /** Forgets what happened so far, here and at the service; the clock keeps its time. */
    async reset(): Promise<void> {
      slack.clearFaults();
      service.faults.clear();
      service.switches.reset();
      await service.settled();
      const working = 'select channel_id from plancast.lanes where claimed_until > now()';
      await expect.poll(() => query(working), { interval: 10 }).toEqual([]);
      await query(
        `with gone as (delete from plancast.links), events as (delete from plancast.events),
           posts as (delete from plancast.announcements) delete from plancast.subscriptions`,
      );
      for (const one of service.subscriptions.all()) service.subscriptions.remove(one);
      service.data.project('Harbour Tower').members.set(accounts.dana, 'write');
      service.log.clear();
      for (const list of [sleeps, logged]) list.length = 0;
      dana = newDana();
      sam = newSam();
      plans = slack.addChannel({ members: [dana, sam] });
    },
  };
}
