import { randomBytes } from 'node:crypto';
import { authorizeAs } from '../../../sandbox/service/authorize-as.ts';
import { startPracticeService } from '../../../sandbox/service/practice-service.ts';
import type { CommandContext } from '../../../src/core/access/command-context.ts';
import type { InTransaction } from '../../../src/core/access/in-transaction.ts';
import { answerRefusal } from '../../../src/core/access/refusal.ts';
import type { Bot as CoreBot } from '../../../src/core/bot.ts';
import { type LinkingRoom, makeLinkingRoom } from '../../../src/core/linking/linking-room.ts';
import { defaultNames } from '../../../src/core/model/commands.ts';
import type { Channel, Profile, SlackPerson } from '../../../src/core/model/people.ts';
import type { Target } from '../../../src/core/model/subscription.ts';
import { makeCallbackTokens } from '../../../src/core/receiving/callback-token.ts';
import { makeReceive } from '../../../src/core/receiving/receive.ts';
import { makeHomeTabs } from '../../../src/core/subscribing/show-home.ts';
import { subscribe } from '../../../src/core/subscribing/subscribe.ts';
import { makeUpstreamRoom } from '../../../src/core/upstream/upstream-room.ts';
import { listen, makeFront } from '../../../src/http/front.ts';
import { notificationRoutes } from '../../../src/http/receiver/notifications.ts';
import { makeTakeNotifications } from '../../../src/http/receiver/take-notifications.ts';
import type { Message } from '../../../src/messages/text/message.ts';
import { makeServiceClient } from '../../../src/service/client.ts';
import { parseNotifications } from '../../../src/service/notifications.ts';
import { makeServiceOAuth } from '../../../src/service/oauth.ts';
import { connectPipelined } from '../../../src/store/database.ts';
import { makeSealing } from '../../../src/store/sealing/sealing.ts';
import { all, first, onDb, sql } from '../../../src/store/sql.ts';
import { acceptEvents } from '../../../src/store/tables/accept-events.ts';
import * as announcements from '../../../src/store/tables/announcements.ts';
import * as departedRows from '../../../src/store/tables/departed-rows.ts';
import * as departures from '../../../src/store/tables/departures.ts';
import * as eventsTable from '../../../src/store/tables/events.ts';
import * as fed from '../../../src/store/tables/fed-subscriptions.ts';
import { makeLinkAttempts } from '../../../src/store/tables/link-attempts.ts';
import { makeLinks } from '../../../src/store/tables/links.ts';
import type { Subscription } from '../../../src/store/tables/subscription-row.ts';
import * as subscriptionsTable from '../../../src/store/tables/subscriptions.ts';
import { recordingLog } from '../../support/log.ts';
import { freshDatabase } from '../../support/postgres.ts';
import { transactionTables } from '../../support/transaction-tables.ts';

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

const teamId = 'T0ACME001';
export const dana: SlackPerson = { enterpriseId: null, teamId, userId: 'U0DANA001' };
export const sam: SlackPerson = { enterpriseId: null, teamId, userId: 'U0SAM0001' };
export const plans: Channel = { enterpriseId: null, teamId, channelId: 'C0PLANS001' };
export const accounts = { dana: 'dana@example.com', sam: 'sam@example.com', lee: 'lee@example.com' } as const;

export const tower: Target = { kind: 'project', projectId: '412-873-550' };
export const school: Target = { kind: 'project', projectId: '538-204-917' };
export const review: Target = { kind: 'session', sessionId: '731-450-286' };

const client = { clientId: 'plancast', clientSecret: 'not-to-be-seen-anywhere' };
const redirectUri = 'https://bot.example.com/oauth/callback';
const copy = { serviceName: 'Harbour Docs', commands: defaultNames };

export type World = Awaited<ReturnType<typeof startWorld>>;
export type Bot = ReturnType<World['addBot']>;

/**
 * The core of the bot on a real database and a practice service, with the notification receiver between them, under two addresses. Slack is
 * replaced by lists: who people are, and what they were sent.
 */
export async function startWorld(name: string) {
  const database = await freshDatabase(name);
  const { db } = database.connect();
  let time = Date.parse('2026-11-20T09:00:00Z');
  const clock = { now: () => new Date(time) };
  const service = await startPracticeService({ ...client, redirectUris: [redirectUri], now: () => time });
  const sealing = makeSealing([{ id: 'k1', secret: randomBytes(32) }]);
  const tokens = makeCallbackTokens({ key: randomBytes(32) });
  const log = recordingLog();

  const links = makeLinks({ db, sealing });
  const subscriptions = onDb(db, subscriptionsTable);
  const events = onDb(db, eventsTable);
  const standings = new Map<string, Profile['standing']>();
  const directMessages: { readonly userId: string; readonly text: string }[] = [];
  const enqueued: Channel[] = [];
  const sleeps: number[] = [];

  let slackIsDown = false;
  const profileOf = async ({ userId }: SlackPerson): Promise<Profile> => {
    if (slackIsDown) throw new Error('Slack cannot be asked.');
    const [name, email] = userId === dana.userId ? ['Dana', accounts.dana] : ['Sam', accounts.sam];
    return { name, email, zone: 'Etc/UTC', standing: standings.get(userId) ?? 'member' };
  };
  const directMessage = async ({ userId }: SlackPerson, { text }: Message): Promise<void> => {
    if (slackIsDown) throw new Error('Slack takes no messages.');
    directMessages.push({ userId, text });
  };
  const inTransaction: InTransaction = (work) =>
    db.transaction().execute((trx) =>
      work({
        ...transactionTables(trx, { clock, sealing }),
        enqueue: async (lanes) => void enqueued.push(...lanes),
        announce: (channel, message, subject) =>
          announcements.add(trx, channel, message, clock.now(), subject),
      }),
    );

  const accepting = connectPipelined({ connection: { connectionString: database.url }, log, max: 1 });
  const receiving = { clock, db, sealing, tokens, log, counted: () => {} };
  const takeNotifications = makeTakeNotifications({
    ...receiving,
    signature: { mode: 'off' },
    receive: makeReceive({
      ...receiving,
      accept: (...arrived) => acceptEvents(accepting.pool, ...arrived),
    }),
    parse: parseNotifications,
    headers: {},
  });
  const routes = notificationRoutes(receiving);
  const front = makeFront({ trustProxy: 0, log });
  front.seal();
  front.open({ first: takeNotifications, routes: [routes] });
  const { server } = front;
  const port = await listen(server, { port: 0, host: '127.0.0.1' });
  const publicUrl = `http://127.0.0.1:${port}`;

  /** Adds a process of the bot with its own memory. */
  function addBot(own: { readonly publicUrl?: string } = {}) {
    const address = own.publicUrl ?? publicUrl;
    const linking = makeLinkingRoom({
      inTransaction,
      links,
      attempts: makeLinkAttempts({ db, sealing }),
      oauth,
      profileOf,
      currentProfileOf: profileOf,
      workspaceNameOf: async () => 'Acme',
      directMessage,
      // No Slack buttons are pressed here; test/contract/linking.test.ts does that.
      pressedOffers: { get: async () => undefined, set: async () => {}, delete: async () => {} },
      answer: async () => {},
      subscriptions,
      copy,
      publicUrl: address,
      clock,
      randomBytes,
      sleep: async () => {},
      signalAfter: AbortSignal.timeout,
      noteFailure: () => {},
      countRefresh: () => {},
    });
    const bot = {
      clock,
      db,
      config: { publicUrl: address, copy, links: {} },
      slack: { profileOf, nameOf: async () => null, isInChannel: async () => 'yes' },
      homeTabs: makeHomeTabs(() => 0),
      channels: {
        requirePostable: async () => {},
        replyIfClosed: async () => {},
        sharedChannel: { look: async () => false, announceOnce: async () => {} },
        pauseSubscription: { resume: async () => {} },
      },
      linking,
      get upstream() {
        return upstream;
      },
      log,
    } as unknown as CoreBot;
    const inThisWorld = {
      bot,
      clock,
      subscriptions,
      events,
      links,
      tokens,
      sealing,
      profileOf,
      directMessage,
      inTransaction,
      enqueue: async (lane: Channel) => void enqueued.push(lane),
      lanes: { mutedUntil: async () => null },
      fed: onDb(db, fed),
      copy,
      publicUrl: address,
      log,
    };
    const upstream = makeUpstreamRoom({
      ...inThisWorld,
      service: makeServiceClient({ baseUrl: service.baseUrl, scopes: ['full_user'], log }),
      accessTokenFor: linking.accessTokenFor,
      sleep: async (milliseconds) => void sleeps.push(milliseconds),
      departures: onDb(db, departures),
      departedRows: onDb(db, departedRows),
      isInstalled: async () => true,
      standing: async () => 'stands',
      access: async () => 'stands',
      isRevoked: async () => false,
      refusedSince: { get: async () => undefined, set: async () => {}, delete: async () => {} },
      forgetInstallation: async () => {},
    });
    const { reconcile, releaseEnded } = upstream;
    linking.afterLinking(async ({ person }) => reconcile.resumeSoon(person));
    linking.beforeUnlinking(upstream.releaseLink);
    return {
      linking,
      upstream: upstream.upstream,
      reconcile,
      releaseEnded,
      /** Also waits for everything that follows from it. */
      async finishPending(): Promise<void> {
        await upstream.finishPending();
        await reconcile.settled();
      },
      async repairInterrupted(): Promise<void> {
        await reconcile.repairInterrupted();
        await reconcile.settled();
      },
      core: bot,

      /** Subscribes the channel to something in a person's name, as the command does. */
      async follow(target: Target, options: { by?: SlackPerson; comprehensive?: boolean } = {}) {
        const { by = dana, comprehensive = true } = options;
        await answerRefusal(() =>
          subscribe(bot, asked(by), { act: 'subscribe', target, comprehensive, filters: {} }),
        );
        return rowOf(target);
      },
    };
  }

  const oauth = makeServiceOAuth({
    authUrl: service.authUrl,
    baseUrl: service.baseUrl,
    ...client,
    scopes: ['full_user'],
    redirectUri,
    now: clock.now,
  });

  /** Opens the page behind a Link button and signs in at the service. */
  async function linkInBrowser(
    { linking }: { readonly linking: LinkingRoom },
    url: string,
    account: string,
  ): Promise<void> {
    const burnt = await linking.burnTicket(url.split('/').at(-1) ?? '');
    if (burnt.outcome !== 'sent') throw new Error(`the ticket was refused: ${burnt.fault}`);
    const back = new URL(await authorizeAs(burnt.authorizationUrl.href, account));
    const { cookie } = burnt;
    await linking.finishLink({ searchParams: back.searchParams, cookie, report: String });
    const { outcome } = await linking.showAttempt(cookie);
    if (outcome !== 'linked') throw new Error(`not linked: ${outcome}`);
  }

  const answers: string[] = [];
  function asked(person: SlackPerson): CommandContext {
    return {
      person,
      channelId: plans.channelId,
      responseUrl: null,
      copy,
      about: (channelId) => ({ ...asked(person), channelId }),
      reply: async ({ text }) => void answers.push(text),
    };
  }

  async function announced(): Promise<Message[]> {
    const rows = await all<{ message: Message }>(
      db,
      sql`select message from plancast.announcements order by seq`,
    );
    return rows.map(({ message }) => message);
  }

  /** Returns the row of this resource that has not ended, or else the ended one. */
  async function rowOf(target: Target): Promise<Subscription> {
    const live = await subscriptions.ofTarget(plans, target);
    if (live) return live;
    const parent = 'projectId' in target ? target.projectId : target.sessionId;
    const found = await first<{ id: string }>(
      db,
      sql`select id from plancast.subscriptions where parent_id = ${parent}`,
    );
    const row = found && (await subscriptions.byId(found.id));
    if (!row) throw new Error('there is no such row');
    return row;
  }

  return {
    db,
    service,
    links,
    subscriptions,
    tokens,
    log,
    standings,
    directMessages,
    enqueued,
    sleeps,
    answers,
    asked,
    publicUrl,
    /** The same receiver under another host name. */
    otherUrl: `http://localhost:${port}`,
    addBot,
    rowOf,
    clock,
    linkInBrowser,
    slackIsDown(isDown: boolean): void {
      slackIsDown = isDown;
    },
    advance(milliseconds: number): void {
      time += milliseconds;
    },

    /** A row as it is committed before the service is asked: the tower, by Dana. */
    newRow: (): subscriptionsTable.NewSubscription => ({
      ...plans,
      ownerUserId: dana.userId,
      target: tower,
      comprehensive: true,
      filters: { only: [], paths: [], by: [], notBy: [] },
      delivery: { when: 'live' },
      threads: false,
      callbackTokenHash: tokens.hash(tokens.make()),
      callbackBase: publicUrl,
      now: clock.now(),
    }),

    /** Links a person through the service's pages, with tokens that the service really issued. */
    async link(person: SlackPerson, account: string) {
      const attempt = oauth.newAttempt();
      const consent = await oauth.authorizationUrl(attempt);
      const back = new URL(await authorizeAs(consent.href, account));
      const callback = oauth.readCallback(back.searchParams, attempt.state);
      if (callback.kind !== 'code') throw new Error('the service gave no code');
      const given = await oauth.exchange({ ...callback, codeVerifier: attempt.codeVerifier });
      const grant = { ...given, refreshToken: given.refreshToken ?? null };
      const written = await links.write({ person, grant, now: clock.now(), replaces: () => true });
      if (!written.written) throw new Error('the link was not written');
      return written.link;
    },

    /** Returns the remote subscriptions of a person, oldest first. */
    recordsOf: (account: string) => service.subscriptions.ofUser(account),

    /** Waits for the notifications that the service sent, and returns the stored events of the row. */
    async eventsOf({ id }: Subscription) {
      await service.settled();
      return all<{ state: string; reason: string | null; summary: string | null }>(
        db,
        sql`select state, reason, summary from plancast.events where subscription_id = ${id} order by seq`,
      );
    },

    /** Returns everything posted in the channel, oldest first. */
    async posted(): Promise<string[]> {
      return (await announced()).map(({ text }) => text);
    },

    async forgetPosted(): Promise<void> {
      await sql`truncate plancast.announcements`.execute(db);
    },

    /** Returns the button labels of the newest notice in the channel. */
    async buttonsOfNewest(): Promise<string[]> {
      const newest = (await announced()).at(-1);
      if (!newest) throw new Error('nothing was posted');
      return newest.blocks.flatMap((block) =>
        block.type === 'actions'
          ? block.elements.flatMap((element) => (element.type === 'button' ? [element.text.text] : []))
          : [],
      );
    },

    /** Counts the creates that the service has answered so far, successful or not. */
    creates: () => service.log.of('request').filter(({ endpoint }) => endpoint.startsWith('create')).length,

    /** Forgets what happened so far; the clock keeps its time. */
    async reset(): Promise<void> {
      await service.settled();
      for (const one of service.subscriptions.all()) service.subscriptions.remove(one);
      service.faults.clear();
      service.switches.reset();
      service.data.project('Harbour Tower').members.set(accounts.dana, 'write');
      service.log.clear();
      await sql`truncate plancast.links, plancast.subscriptions, plancast.events, plancast.announcements`.execute(
        db,
      );
      standings.clear();
      slackIsDown = false;
      for (const list of [directMessages, enqueued, sleeps, answers, log.lines]) list.length = 0;
    },
    async close(): Promise<void> {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      await accepting.close();
      await service.close();
      await database.drop();
    },
  };
}
