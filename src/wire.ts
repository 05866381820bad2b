import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import { fromKysely } from 'pg-boss';
import type { Logger } from 'pino';
import { makeAskAdmin } from './core/ask-admin.ts';
import type { Asked } from './core/asked.ts';
import { makeCallService } from './core/call-service.ts';
import { makeCallbackTokens } from './core/callback-token.ts';
import { makeAdmit, makeCarryOut, makeCarryOutAllowed } from './core/carry-out.ts';
import { makeChangeSettings } from './core/change-settings.ts';
import { makeCheckChannel } from './core/check-channel.ts';
import { makeCheckSubscription } from './core/check-subscription.ts';
import type { Clock } from './core/clock.ts';
import { makeDoctor } from './core/doctor.ts';
import { makeFinishPending } from './core/finish-pending.ts';
import { makeFormPreview } from './core/form-preview.ts';
import { makeKeptRequests } from './core/kept-requests.ts';
import { makeLinkCommands } from './core/link-commands.ts';
import { makeLinking } from './core/linking/linking.ts';
import { makeMoveChannel } from './core/move-channel.ts';
import { makeMute } from './core/mute.ts';
import { makePauseChannel } from './core/pause-channel.ts';
import { makePauseOwned } from './core/pause-owned.ts';
import { makePauseSubscription } from './core/pause-subscription.ts';
import type { Channel, Workspace } from './core/people.ts';
import { makePostDigests } from './core/post-digests.ts';
import { makeRateLimit } from './core/rate-limit.ts';
import { makeReconcile } from './core/reconcile.ts';
import { makeReleaseEnded } from './core/release-ended.ts';
import { makeReleaseLink } from './core/release-link.ts';
import { defaultNames, type Request } from './core/request.ts';
import { makeResumeChannel } from './core/resume-channel.ts';
import { makeResumeWorkspaces } from './core/resume-workspaces.ts';
import { makeShowAll } from './core/show-all.ts';
import { makeShowForm } from './core/show-form.ts';
import { makeShowHelp } from './core/show-help.ts';
import { makeShowHome } from './core/show-home.ts';
import { makeShowList } from './core/show-list.ts';
import { makeSubmitForm } from './core/submit-form.ts';
import { makeSubscribe } from './core/subscribe.ts';
import type { Filters } from './core/subscription.ts';
import { makeTellTraces } from './core/tell-traces.ts';
import { makeTidyEvents } from './core/tidy-events.ts';
import type { Together } from './core/together.ts';
import { makeUndoUnsubscribe } from './core/undo-unsubscribe.ts';
import { makeUninstall } from './core/uninstall.ts';
import { makeUnsubscribe } from './core/unsubscribe.ts';
import { makeUpstream } from './core/upstream.ts';
import { makeWhoMay } from './core/who-may.ts';
import { makeWhy } from './core/why.ts';
import type { Env } from './env.ts';
import { type Figures, makeFigures } from './http/figures.ts';
import { linkRoutes } from './http/link-pages.ts';
import { oauthCallbackRoutes } from './http/oauth-callback.ts';
import { securityHeaders, withHeaders } from './http/security-headers.ts';
import type { RequestTaker } from './http/take-notifications.ts';
import { startChores } from './jobs/chores.ts';
import { startDispatch } from './jobs/dispatch.ts';
import { openQueue } from './jobs/queue.ts';
import { cannotPost } from './messages/answers.ts';
import type { Message } from './messages/message.ts';
import type { Wording } from './messages/words.ts';
import { openSlackDoor } from './slack/door.ts';
import { helpEntries } from './slack/grammar/help-entries.ts';
import { makeReplyInView } from './slack/reply-in-view.ts';
import { makeAnnouncements } from './store/announcements.ts';
import { makeChannelMoves } from './store/channel-moves.ts';
import type { ConnectedDatabase, Connection } from './store/database.ts';
import { makeDeadLetters } from './store/dead-letters.ts';
import { makeRecords } from './store/keyv-records.ts';
import type { Sealing } from './store/sealing.ts';
import { logAct, logLink } from './wire/log-events.ts';
import { wireChores } from './wire/wire-chores.ts';
import { wireLane } from './wire/wire-lane.ts';
import { wireReceiving } from './wire/wire-receiving.ts';
import { wireService } from './wire/wire-service.ts';
import { wireSlack } from './wire/wire-slack.ts';
import { wireStore } from './wire/wire-store.ts';

/** What the bot is built on. Whoever hands it over also closes it. */
export type Foundation = {
  readonly env: Env;
  readonly connection: Connection;
  readonly database: ConnectedDatabase;
  readonly sealing: Sealing;
  readonly clock: Clock;
  readonly log: Logger;
};

/** A bot that runs. */
export type Bot = {
  /** What answers to the service, and to Slack and browsers; none of it with `ROLE=worker`. */
  readonly entrance: { readonly first: RequestTaker | null; readonly routes: readonly RequestHandler[] };
  readonly isReady: () => Promise<boolean>;
  readonly figures: Figures;
  /** Does a chore now, by its name, instead of when its hour comes. */
  readonly runChore: (name: string) => Promise<void>;
  /** Takes nothing more, finishes what is under way, and lets go of the database. */
  readonly stop: () => Promise<void>;
};

const minuteMs = 60_000;
const limits = { commands: { most: 30, withinMs: minuteMs, keys: 10_000 } };
/** As long as Slack takes answers to what was typed. */
const keptRequestMs = 30 * minuteMs;

/** Builds everything and hands it over: the one place that knows all rooms. */
export async function wire(foundation: Foundation): Promise<Bot> {
  const { env, connection, database, sealing, clock, log } = foundation;
  const { publicUrl } = env.http;
  const works = env.role !== 'web';
  const monotonic = () => performance.now();
  const wording: Wording = { serviceName: env.service.name, commands: defaultNames };
  const wordingFor = ({ names }: Asked): Wording => ({ ...wording, commands: names });

  // The store.
  const store = wireStore({ database, sealing, log });
  const { db, tables, links, attempts, seenRequests, audit, settings, requests, traces, keyv } = store;
  const figures = makeFigures({ backlog: tables.events.backlog, now: () => clock.now(), monotonic });
  const tokenKey = await store.secrets.readOrCreate('callback tokens', () =>
    randomBytes(32).toString('base64'),
  );
  const tokens = makeCallbackTokens({ key: Buffer.from(tokenKey, 'base64') });

  // The queue.
  const queue = await openQueue({ connection, works, log });
  const enqueue = (lane: Channel) => queue.addLanes([lane]);
  const together: Together = (work) =>
    store.inTransaction((trx, tables) =>
      work({
        ...tables,
        announce: async (channel, message) => {
          await makeAnnouncements<Message>({ db: trx }).add(channel, message, clock.now());
          await queue.addLanes([channel], { db: fromKysely(trx) });
        },
      }),
    );
  const announce = (channel: Channel, message: Message) =>
    together((tables) => tables.announce(channel, message));

  // Slack.
  const slack = wireSlack({ env, store, sealing, clock, log });
  const { identityOf, directMessage, answer, askedFrom, mayPost, isShared, screens, isInChannel } = slack;
  const { adminsOf, channelsOf, profileOf, byEmail } = slack;

  // The service.
  const { service, oauth } = wireService({ env, clock, log });

  // The core.
  const linking = makeLinking({
    links,
    attempts,
    oauth,
    profileOf,
    workspaceNameOf: async (workspace) => (await identityOf(workspace)).workspaceName ?? workspace.teamId,
    directMessage,
    carryOut: async ({ person, channelId, responseUrl, request }) => {
      // What waits for this link goes on after what was asked for, so that both do not set up the same thing.
      const goOn = () => reconcile.resumeSoon(person);
      await showHome.refresh(person);
      if (request === null) return goOn();
      const asked = askedFrom({ person, channelId, responseUrl });
      door.inBackground(asked, () => carryOut(asked, request).finally(goOn));
    },
    subscriptionsOf: tables.subscriptions.ofOwner,
    releaseSubscriptions: (link, signal) => releaseLink(link, signal),
    wording,
    publicUrl,
    clock,
    randomBytes,
    sleep,
    signalAfter: (milliseconds) => AbortSignal.timeout(milliseconds),
    noteFailure: (what, error) => log.warn({ err: error }, `could not ${what}`),
    countRefresh: figures.refresh,
    noted: (what, link) => logLink(log, what, link),
  });
  const callService = makeCallService(linking);
  const upstream = makeUpstream({
    service,
    callService,
    subscriptions: tables.subscriptions,
    links,
    sealing,
    tokens,
    clock,
    publicUrl,
    log,
  });
  const common = {
    clock,
    ...tables,
    links,
    upstream,
    profileOf,
    announce,
    enqueue,
    directMessage,
    log,
    namesIn,
  };
  const pauseOwned = makePauseOwned({ ...common, together, wording });
  const releaseLink = makeReleaseLink({ ...common, pauseOwned });
  const linkCommands = makeLinkCommands({ ...common, ...linking, unlink: linking, wording: wordingFor });
  const showHome = makeShowHome({
    ...common,
    channelsOf,
    isInChannel,
    publish: screens.publishHome,
    wording,
    now: monotonic,
  });
  const noteAct = async (asked: Asked, act: string, subject: string) => {
    await audit.note({ ...asked.person, channelId: asked.channelId, act, subject }, clock.now());
    logAct(log, asked, { act, subject });
    await showHome.refresh(asked.person);
  };
  const { maySee, mayChange } = makeWhoMay({
    ...common,
    isInChannel,
    adminsOf,
    requests,
    settingsOf: settings.of,
    wording: wordingFor,
  });
  const kept = makeKeptRequests({
    records: makeRecords<Request>({ keyv, namespace: 'kept-requests', ttlMs: keptRequestMs }),
    newKey: () => randomBytes(18).toString('base64url'),
  });
  const pauseSubscription = makePauseSubscription({ ...common, together, audit: noteAct });
  const subscribe = makeSubscribe({
    ...common,
    checkPostable,
    linkFor: linkCommands.linkFor,
    isShared,
    keepRequest: kept.keep,
    resume: pauseSubscription.resume,
    audit: noteAct,
    publicUrl,
  });
  const unsubscribe = makeUnsubscribe({
    ...common,
    dropEvents: tables.events.dropEnded,
    audit: noteAct,
    wording: wordingFor,
  });
  const undoUnsubscribe = makeUndoUnsubscribe({ ...common, mayChange, subscribe });
  const showList = makeShowList({ ...common, wording: wordingFor });
  const showHelp = makeShowHelp({ entries: helpEntries, wording: wordingFor });
  const showForm = makeShowForm({
    ...common,
    ...screens,
    previewForm: makeFormPreview({
      ...common,
      channelsOf,
      mayPost: slack.recentlyMayPost,
      botNameOf: async (workspace) => (await identityOf(workspace)).botName,
      emailsOf,
    }),
    checkPostable,
    showHelp,
  });
  const mute = makeMute(common);
  const changeSettings = makeChangeSettings({
    ...common,
    settings,
    openForm: screens.openForm,
    audit: noteAct,
    wording: wordingFor,
  });
  const checks = {
    mayPost,
    traces,
    botName: botNameFor,
    checkChannel: makeCheckChannel({ ...common, mayPost, traces, botName: botNameFor }),
    checkSubscription: makeCheckSubscription({
      ...common,
      service,
      callService,
      publicUrl,
      botName: botNameFor,
    }),
  };
  const why = makeWhy({
    ...common,
    ...checks,
    audit,
    tellTraces: makeTellTraces({ nameOf }),
    retentionDays: env.retentionDays,
    wording: wordingFor,
  });
  const doctor = makeDoctor({
    ...common,
    ...checks,
    resumeChannel: (channel) => resumeChannel(channel),
    checkLink: (linkId) => reconcile.reconcileLink(linkId),
    replay,
    audit: noteAct,
    wording: wordingFor,
  });
  const limit = makeRateLimit({ ...limits.commands, now: monotonic });
  const carryOut = makeCarryOut({
    profileOf,
    limit,
    subscribe,
    unsubscribe,
    links: linkCommands,
    showList,
    showHelp,
    showForm,
    mute,
    mayChange,
    maySee,
    why,
    doctor,
    settings: changeSettings,
  });
  const askAdmin = makeAskAdmin({
    ...common,
    requests,
    adminsOf,
    isShared,
    askedBy: (person, channelId) => askedFrom({ person, channelId, responseUrl: null }),
    carryOutAllowed: makeCarryOutAllowed({ profileOf, limit, subscribe, unsubscribe, mute }),
    audit: noteAct,
    wording: wordingFor,
  });
  const submitForm = makeSubmitForm({ ...common, mayChange, carryOut });
  const resumeChannel = makeResumeChannel(common);
  const reconcile = makeReconcile({
    ...common,
    service,
    callService,
    tokens,
    together,
    pauseOwned,
    publicUrl,
    sleep,
  });
  const uninstall = makeUninstall({
    ...common,
    forgetInstallation: async (workspace) => {
      const { teamId, enterpriseId } = workspace;
      await Promise.all([settings.forget(workspace), requests.forget(workspace)]);
      await slack.installations.deleteInstallation({
        teamId,
        enterpriseId: enterpriseId ?? undefined,
        isEnterpriseInstall: false,
      });
    },
  });
  const pauseChannel = makePauseChannel({
    ...common,
    wording,
    names: defaultNames,
    botName: async (channel) => (await identityOf(channel)).botName,
  });
  const lane = wireLane({ store, slack, nameOf, emailsOf, pauseChannel, figures, clock, log });

  // The doors.
  const admit = makeAdmit({ profileOf, limit });
  const door = await openSlackDoor({
    receiver: slack.receiver,
    clientOptions: slack.clientOptions,
    logger: slack.logger,
    oneWorkspace: slack.oneWorkspace,
    askedFrom,
    answer,
    replyInView: makeReplyInView(screens),
    commands: { askedFrom, carryOut },
    actions: {
      admit,
      answer,
      askAdmin,
      doctor,
      links: linkCommands,
      mayChange,
      maySee,
      mute,
      readRequest: kept.read,
      pauseSubscription,
      settings: changeSettings,
      showAll: makeShowAll({ ...tables, retell: lane.retell }),
      showForm,
      showHome,
      showList,
      subscribe,
      undoUnsubscribe,
      unsubscribe,
      updateForm: screens.updateForm,
      why,
      wording: wordingFor,
      subscriptionOf: (asked, id) => tables.subscriptions.ofWorkspace(asked.person, id),
    },
    shortcuts: { admit, maySee, showForm, why },
    views: { admit, askedFrom, links: linkCommands, settings: changeSettings, submitForm },
    events: {
      moveChannel: makeMoveChannel({ channelMoves: makeChannelMoves({ db }), enqueue }),
      homeOpened: showHome.show,
      resumeChannel,
      uninstalled: uninstall,
    },
    take: (id) => seenRequests.take(id, clock.now()),
    log,
  });
  const headers = securityHeaders({ publicUrl, authUrl: env.service.authUrl });
  const pageDeps = {
    ...linking,
    publicUrl,
    serviceName: env.service.name,
    scopes: env.service.scopes,
    reportFailure,
  };
  const receiving = wireReceiving({
    env,
    connection,
    store,
    queue,
    sealing,
    tokens,
    headers,
    figures,
    clock,
    log,
  });
  const routes: RequestHandler[] = [
    withHeaders(headers),
    receiving.routes,
    linkRoutes(pageDeps),
    oauthCallbackRoutes(pageDeps),
    slack.routes,
  ];
  const chores = wireChores({
    store,
    queue,
    linking,
    reconcile,
    mute,
    postDigests: makePostDigests(common),
    finishPending: makeFinishPending({ ...common, checkSoon: reconcile.checkSoon }),
    releaseEnded: makeReleaseEnded(common),
    tidyEvents: makeTidyEvents({ ...common, audit, retentionDays: env.retentionDays }),
    resumeWorkspaces: makeResumeWorkspaces({ ...common, resumeChannel, isServed: slack.isServed }),
    clock,
  });
  const dispatch = works
    ? startDispatch({ queue, deliver: lane.deliver, now: () => clock.now(), log })
    : null;
  if (works) await startChores({ boss: queue.boss, chores, log });
  if (works && (await tables.subscriptions.someAreElsewhere(publicUrl))) {
    reconcile
      .reconcileAll()
      .catch((error: unknown) => log.error({ err: error }, 'the check at the start failed'));
  }

  return {
    entrance:
      env.role === 'worker' ? { first: null, routes: [] } : { first: receiving.takeNotifications, routes },
    isReady: async () => {
      await database.ping();
      return true;
    },
    figures,
    runChore: async (name) => chores.find((chore) => chore.name === name)?.run(),
    stop: async () => {
      await door.settle();
      await reconcile.stop();
      await dispatch?.stop();
      await receiving.close();
      await queue.close();
    },
  };

  async function botNameFor({ person }: Asked): Promise<string> {
    return (await identityOf(person)).botName;
  }

  async function nameOf(workspace: Workspace, email: string): Promise<string | null> {
    return (await byEmail(workspace, email)).name;
  }

  /** Has dead events posted again, with the jobs of their lanes, or none of it. */
  function replay(seqs: readonly string[]): Promise<number> {
    return db.transaction().execute(async (trx) => {
      const replayed = await makeDeadLetters({ db: trx }).replay(seqs, clock.now());
      await queue.addLanes(
        replayed.map(({ lane }) => lane),
        { db: fromKysely(trx) },
      );
      return replayed.reduce((sum, { seqs: events }) => sum + events.length, 0);
    });
  }

  async function checkPostable(asked: Asked): Promise<boolean> {
    const { person, channelId } = asked;
    const why = await mayPost({ enterpriseId: person.enterpriseId, teamId: person.teamId, channelId });
    if (why === 'yes') return true;
    const { botName } = await identityOf(person);
    await asked.reply(cannotPost({ why, botName }));
    return false;
  }

  async function namesIn(channel: Channel, filters: Filters): Promise<ReadonlyMap<string, string>> {
    const ids = [...filters.by, ...filters.notBy].flatMap((who) => ('userId' in who ? [who.userId] : []));
    const found = [...new Set(ids)].map(async (userId) => {
      const profile = await profileOf({ ...channel, userId }).catch(() => null);
      return [userId, profile?.name ?? userId] as const;
    });
    return new Map(await Promise.all(found));
  }

  async function emailsOf(
    workspace: Pick<Channel, 'enterpriseId' | 'teamId'>,
    userId: string,
  ): Promise<string[]> {
    const person = { ...workspace, userId };
    const [link, profile] = await Promise.all([links.of(person), profileOf(person).catch(() => null)]);
    return [link?.account, profile?.email]
      .filter((email) => email != null)
      .map((email) => email.toLowerCase());
  }

  function reportFailure(error: unknown): string {
    const reference = randomBytes(4).toString('hex');
    log.error({ err: error, reference }, 'a page failed');
    return reference;
  }
}
