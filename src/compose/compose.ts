import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { makeChangeSettings } from '../core/access/change-settings.ts';
import { channelOf } from '../core/access/channel-of.ts';
import type { CommandContext } from '../core/access/command-context.ts';
import { makeWhoMay } from '../core/access/who-may.ts';
import { closedFor, makeCloseChannel } from '../core/channels/close-channel.ts';
import { makeMoveChannel } from '../core/channels/move-channel.ts';
import { makeMute } from '../core/channels/mute.ts';
import { makePauseChannel } from '../core/channels/pause-channel.ts';
import { makePauseSubscription } from '../core/channels/pause-subscription.ts';
import { makePresentChanges, shortGlob } from '../core/channels/present-changes.ts';
import { makeResumeChannel } from '../core/channels/resume-channel.ts';
import { makeResumeWorkspaces } from '../core/channels/resume-workspaces.ts';
import { makeSharedChannel } from '../core/channels/shared-channel.ts';
import { makePostDigests } from '../core/delivering/post-digests.ts';
import { makeShowAll } from '../core/delivering/show-all.ts';
import { makeTidyEvents } from '../core/delivering/tidy-events.ts';
import { makeTidyItems } from '../core/delivering/tidy-items.ts';
import { makeCheckChannel } from '../core/explaining/check-channel.ts';
import { makeCheckSubscription } from '../core/explaining/check-subscription.ts';
import { makeDescribeTraces } from '../core/explaining/describe-traces.ts';
import { makeDoctor } from '../core/explaining/doctor.ts';
import { makeWhy } from '../core/explaining/why.ts';
import { makeLinkCommands } from '../core/linking/link-commands.ts';
import { makeLinking } from '../core/linking/linking.ts';
import { someone } from '../core/model/change.ts';
import type { Clock } from '../core/model/clock.ts';
import type { Channel, SlackPerson, Workspace } from '../core/model/people.ts';
import { defaultNames, type Request } from '../core/model/request.ts';
import type { Filters } from '../core/model/subscription.ts';
import { makeCallbackTokens } from '../core/receiving/callback-token.ts';
import { makeAskAdmin } from '../core/requests/ask-admin.ts';
import { makeAdmit, makeCarryOut, makeCarryOutAllowed } from '../core/requests/carry-out.ts';
import { makeShowHelp } from '../core/requests/show-help.ts';
import { makeSubmitForm } from '../core/requests/submit-form.ts';
import { makeFormPreview } from '../core/subscribing/form-preview.ts';
import { makeKeptRequests } from '../core/subscribing/kept-requests.ts';
import { makeShowForm } from '../core/subscribing/show-form.ts';
import { makeShowHome } from '../core/subscribing/show-home.ts';
import { makeShowList } from '../core/subscribing/show-list.ts';
import { makeSubscribe } from '../core/subscribing/subscribe.ts';
import { makeUndoUnsubscribe } from '../core/subscribing/undo-unsubscribe.ts';
import { makeUnsubscribe } from '../core/subscribing/unsubscribe.ts';
import { makeCallService } from '../core/upstream/call-service.ts';
import { makeDepartures } from '../core/upstream/departures.ts';
import { makeFinishPending } from '../core/upstream/finish-pending.ts';
import type { InTransaction } from '../core/upstream/in-transaction.ts';
import { makePauseOwned } from '../core/upstream/pause-owned.ts';
import { makeReconcile } from '../core/upstream/reconcile.ts';
import { makeReleaseEnded } from '../core/upstream/release-ended.ts';
import { makeReleaseLink } from '../core/upstream/release-link.ts';
import { makeUpstream } from '../core/upstream/upstream.ts';
import type { Env } from '../env.ts';
import { installRoutes } from '../http/installing/install-routes.ts';
import { linkRoutes } from '../http/linking/link-routes.ts';
import { oauthCallbackRoutes } from '../http/linking/oauth-callback.ts';
import { type Metrics, makeMetrics } from '../http/metrics/metrics.ts';
import type { RequestTaker } from '../http/receiver/take-notifications.ts';
import { securityHeaders, withHeaders } from '../http/security-headers.ts';
import { readSlackBodies } from '../http/slack-body.ts';
import { openBoss } from '../jobs/boss.ts';
import { startChores } from '../jobs/chores.ts';
import { startDispatch } from '../jobs/dispatch.ts';
import { makeInBatches } from '../lib/in-batches.ts';
import { makeRateLimit } from '../lib/rate-limit.ts';
import { cannotPost } from '../messages/subscribing/answers.ts';
import type { Copy } from '../messages/text/copy.ts';
import type { Message } from '../messages/text/message.ts';
import { helpEntries } from '../slack/grammar/help-entries.ts';
import { makeReplyInView } from '../slack/replies/reply-in-view.ts';
import { openSlackAdapter } from '../slack/slack-adapter.ts';
import type { ConnectedDatabase, Connection } from '../store/database.ts';
import { listenForLanes, signalLanes } from '../store/lane-signals.ts';
import { isKeyMissing, type Sealing } from '../store/sealing/sealing.ts';
import { makeAnnouncements } from '../store/tables/announcements.ts';
import { makeChannelMoves } from '../store/tables/channel-moves.ts';
import { makeDeadLetters } from '../store/tables/dead-letters.ts';
import { makeRecords } from '../store/tables/keyv-records.ts';
import { composeChores } from './chores.ts';
import { composeDelivering } from './delivering.ts';
import { composeReceiving } from './receiving.ts';
import { composeService } from './service.ts';
import { composeSlack } from './slack.ts';
import { composeStore, tablesOn } from './store.ts';

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
  readonly metrics: Metrics;
  /** Does a chore now, by its name, instead of when its hour comes. */
  readonly runChore: (name: string) => Promise<void>;
  /** Takes nothing more, finishes what is under way, and lets go of the database. */
  readonly stop: () => Promise<void>;
};

const minuteMs = 60_000;
const commandLimit = { most: 30, withinMs: minuteMs };
/** Started installations by address. */
const installLimit = { most: 20, withinMs: minuteMs, keys: 10_000 };
/** As long as Slack takes answers to what was typed. */
const keptRequestMs = 30 * minuteMs;
/** Processes tell each other of waiting lanes no more often than this. */
const betweenSignalsMs = 10;

/** Builds everything and hands it over: the one place that knows all rooms. */
export async function compose(foundation: Foundation): Promise<Bot> {
  const { env, connection, database, sealing, clock, log } = foundation;
  const { publicUrl } = env.http;
  const works = env.role !== 'web';
  const monotonic = () => performance.now();
  const copy: Copy = { serviceName: env.service.name, commands: defaultNames };
  const copyFor = ({ names }: CommandContext): Copy => ({ ...copy, commands: names });

  // The store.
  const store = composeStore({ database, sealing });
  const { db, tables, links, attempts, seenRequests, audit, settings, requests, traces, keyv } = store;
  const metrics = makeMetrics({
    backlog: tables.events.backlog,
    now: () => clock.now(),
    monotonic,
    dispatchLag: () => dispatch?.lag() ?? 0,
    ofProcess: env.metrics !== undefined,
  });
  const tokenKey = await store.secrets.readOrCreate('callback tokens', () =>
    randomBytes(32).toString('base64'),
  );
  const tokens = makeCallbackTokens({ key: Buffer.from(tokenKey, 'base64') });

  const enqueue = (lane: Channel) => signalLanes(db, [lane]);
  const tellTogether = makeInBatches<readonly Channel[]>({
    gapMs: betweenSignalsMs,
    isAboutData: () => false,
    run: async (lanes) => {
      await signalLanes(db, lanes.flat());
      return new Set(lanes);
    },
  });
  const inTransaction: InTransaction = (work) =>
    db.transaction().execute((trx) =>
      work({
        ...tablesOn(trx),
        announce: async (channel, message, subject) => {
          await makeAnnouncements<Message>({ db: trx }).add(channel, message, clock.now(), subject);
          await signalLanes(trx, [channel]);
        },
      }),
    );
  const announce = (channel: Channel, message: Message) =>
    inTransaction((tables) => tables.announce(channel, message));

  // Slack.
  const slack = await composeSlack({ env, store, sealing, clock, log });
  const { identityOf, directMessage, answer, contextFrom, mayPost, isShared, screens, isInChannel } = slack;
  const { adminsOf, channelsOf, profileOf, byEmail } = slack;

  // The service.
  const { service, oauth } = composeService({ env, clock, log });

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
      const context = contextFrom({ person, channelId, responseUrl });
      slackAdapter.inBackground(context, () => carryOut(context, request).finally(goOn));
    },
    subscriptionsOf: tables.subscriptions.ofOwner,
    releaseSubscriptions: (link, signal) => releaseLink(link, signal),
    copy,
    publicUrl,
    clock,
    randomBytes,
    sleep,
    signalAfter: (milliseconds) => AbortSignal.timeout(milliseconds),
    noteFailure: (what, error) => log.warn({ err: error }, `could not ${what}`),
    countRefresh: metrics.refresh,
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
  const pauseOwned = makePauseOwned({ ...common, inTransaction, copy });
  const releaseLink = makeReleaseLink({ ...common, pauseOwned });
  const linkCommands = makeLinkCommands({ ...common, ...linking, unlink: linking, copy: copyFor });
  const showHome = makeShowHome({
    ...common,
    channelsOf,
    isInChannel,
    publish: screens.publishHome,
    copy,
    now: monotonic,
  });
  const noteAct = async (context: CommandContext, act: string, subject: string) => {
    await audit.note({ ...context.person, channelId: context.channelId, act, subject }, clock.now());
    await showHome.refresh(context.person);
  };
  const sharedChannel = makeSharedChannel({ ...common, inTransaction, isShared, audit: noteAct });
  const { maySee, mayChange } = makeWhoMay({
    ...common,
    isInChannel,
    adminsOf,
    requests,
    settingsOf: settings.of,
    copy: copyFor,
  });
  const kept = makeKeptRequests({
    records: makeRecords<Request>({ keyv, namespace: 'kept-requests', ttlMs: keptRequestMs }),
    newKey: () => randomBytes(18).toString('base64url'),
  });
  const pauseSubscription = makePauseSubscription({ ...common, inTransaction, audit: noteAct });
  const subscribe = makeSubscribe({
    ...common,
    checkPostable,
    linkFor: linkCommands.linkFor,
    sharedChannel,
    keepRequest: kept.keep,
    resume: pauseSubscription.resume,
    audit: noteAct,
    publicUrl,
  });
  const unsubscribe = makeUnsubscribe({
    ...common,
    dropEvents: tables.events.dropEnded,
    audit: noteAct,
    copy: copyFor,
  });
  const undoUnsubscribe = makeUndoUnsubscribe({ ...common, mayChange, subscribe });
  const showList = makeShowList({ ...common, copy: copyFor });
  const showHelp = makeShowHelp({ entries: helpEntries, copy: copyFor });
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
  const mute = makeMute({ ...common, inTransaction });
  const changeSettings = makeChangeSettings({
    ...common,
    settings,
    openForm: screens.openForm,
    audit: noteAct,
    copy: copyFor,
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
    describeTraces: makeDescribeTraces({
      presentChanges: makePresentChanges({
        nameOf,
        linkTo: () => null,
        isDiscreet: sharedChannel.isDiscreet,
      }),
    }),
    retentionDays: env.retentionDays,
    copy: copyFor,
  });
  const doctor = makeDoctor({
    ...common,
    ...checks,
    resumeChannel: (channel) => resumeChannel(channel, 'seen'),
    checkLink: (linkId) => reconcile.reconcileLink(linkId),
    replay,
    audit: noteAct,
    copy: copyFor,
  });
  const countCommand = (person: SlackPerson) => store.commandTries.take(person, commandLimit, clock.now());
  const carryOut = makeCarryOut({
    profileOf,
    countCommand,
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
    askedBy: (person, channelId) => contextFrom({ person, channelId, responseUrl: null }),
    carryOutAllowed: makeCarryOutAllowed({ profileOf, countCommand, subscribe, unsubscribe, mute }),
    audit: noteAct,
    copy: copyFor,
  });
  const submitForm = makeSubmitForm({ ...common, mayChange, carryOut });
  const resumeChannel = makeResumeChannel({ ...common, inTransaction });
  const reconcile = makeReconcile({
    ...common,
    service,
    callService,
    tokens,
    inTransaction,
    pauseOwned,
    publicUrl,
    sleep,
  });
  const resumeWorkspaces = makeResumeWorkspaces({ ...common, resumeChannel, isServed: slack.isServed });
  const departures = makeDepartures({
    ...common,
    departures: store.departures,
    departedRows: store.departedRows,
    reconcileLink: reconcile.reconcileLink,
    isInstalled: slack.isInstalled,
    standing: slack.standing,
    access: slack.access,
    forgetInstallation: slack.installations.forgetOld,
  });
  const pauseChannel = makePauseChannel({
    ...common,
    copy,
    botName: async (channel) => (await identityOf(channel)).botName,
  });
  const closeChannel = makeCloseChannel({ ...common, inTransaction, pauseChannel });
  const { isDiscreet } = sharedChannel;
  const lane = composeDelivering({
    connection,
    store,
    slack,
    nameOf,
    emailsOf,
    settingsOf: settings.of,
    links: env.service.links,
    isDiscreet,
    pauseChannel,
    metrics,
    clock,
    log,
  });

  const dispatch = works
    ? startDispatch({
        queue: lane.queue,
        deliver: lane.deliver,
        processId: randomBytes(9).toString('base64url'),
        now: () => clock.now(),
        noted: metrics.taken,
        log,
      })
    : null;
  const listener =
    dispatch &&
    listenForLanes({
      connection,
      log,
      onSignal: (lanes) => (lanes === null ? dispatch.wakeAll() : dispatch.wake(lanes)),
    });

  // The doors.
  const admit = makeAdmit({ profileOf, countCommand });
  const slackAdapter = await openSlackAdapter({
    receiver: slack.receiver,
    clientOptions: slack.clientOptions,
    logger: slack.logger,
    authorize: slack.authorize,
    contextFrom,
    answer,
    replyInView: makeReplyInView(screens),
    commands: { contextFrom, carryOut },
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
      sharedChannel,
      showAll: makeShowAll({ ...tables, recallChanges: lane.recallChanges }),
      showForm,
      showHome,
      showList,
      subscribe,
      undoUnsubscribe,
      unsubscribe,
      openForm: screens.openForm,
      pushForm: screens.pushForm,
      updateForm: screens.updateForm,
      why,
      copy: copyFor,
      subscriptionOf: (context, id) => tables.subscriptions.ofWorkspace(context.person, id),
    },
    shortcuts: { admit, maySee, showForm, why },
    views: { admit, contextFrom, links: linkCommands, settings: changeSettings, submitForm },
    events: {
      moveChannel: makeMoveChannel({ channelMoves: makeChannelMoves({ db }), enqueue }),
      homeOpened: showHome.show,
      resumeChannel,
      closeChannel,
      sharedChannel,
      uninstalled: departures.uninstalled,
      accessRevoked: departures.accessRevoked,
      accessGranted: async (workspaces, at) => {
        await departures.accessGranted(workspaces, at);
        await resumeWorkspaces();
      },
    },
    take: (id) => seenRequests.take(id, clock.now()),
    isKeyMissing,
    now: () => clock.now(),
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
  const installing = {
    publicUrl,
    newBrowser: () => randomBytes(24).toString('base64url'),
    limit: makeRateLimit({ ...installLimit, now: monotonic }),
    reportFailure,
  };
  const receiving = composeReceiving({
    env,
    connection,
    store,
    wake: dispatch ? dispatch.wake : tellOthers,
    sealing,
    tokens,
    headers,
    metrics,
    clock,
    log,
  });
  const routes: RequestHandler[] = [
    withHeaders(headers),
    receiving.routes,
    linkRoutes(pageDeps),
    oauthCallbackRoutes(pageDeps),
    ...(slack.install ? [installRoutes({ ...slack.install, ...installing })] : []),
    readSlackBodies(),
    slack.routes,
  ];
  const chores = composeChores({
    store,
    linking,
    reconcile,
    mute,
    postDigests: makePostDigests(common),
    finishPending: makeFinishPending({ ...common, checkSoon: reconcile.checkSoon }),
    releaseEnded: makeReleaseEnded(common),
    tidyEvents: makeTidyEvents({ ...common, audit, retentionDays: env.retentionDays }),
    lookAtChannels: sharedChannel.lookRound,
    tidyItems: makeTidyItems(common),
    resumeWorkspaces,
    departures,
    clock,
    log,
  });
  const boss = works ? await openBoss({ connection, works, log }) : null;
  if (boss) await startChores({ boss: boss.boss, chores, log });
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
    metrics,
    runChore: async (name) => chores.find((chore) => chore.name === name)?.run(),
    stop: async () => {
      await slackAdapter.settle();
      await departures.stop();
      await reconcile.stop();
      await dispatch?.stop();
      await listener?.close();
      await receiving.close();
      await lane.close();
      await boss?.close();
    },
  };

  /** Has the processes that post look at lanes. What they are not told of, they find by themselves. */
  function tellOthers(lanes: readonly Channel[]): void {
    tellTogether(lanes).catch((error: unknown) =>
      log.warn({ err: error }, 'nobody was told that something waits'),
    );
  }

  async function botNameFor({ person }: CommandContext): Promise<string> {
    return (await identityOf(person)).botName;
  }

  async function nameOf(workspace: Workspace, email: string): Promise<string | null> {
    return (await byEmail(workspace, email)).name;
  }

  /** Has dead events posted again. */
  function replay(seqs: readonly string[]): Promise<number> {
    return db.transaction().execute(async (trx) => {
      const replayed = await makeDeadLetters({ db: trx }).replay(seqs, clock.now());
      await signalLanes(
        trx,
        replayed.map(({ lane }) => lane),
      );
      return replayed.reduce((sum, { seqs: events }) => sum + events.length, 0);
    });
  }

  async function checkPostable(context: CommandContext): Promise<boolean> {
    const { person, channelId } = context;
    const why = await mayPost({ enterpriseId: person.enterpriseId, teamId: person.teamId, channelId });
    if (why === 'yes') {
      const channel = channelOf(context);
      // An event that said otherwise was the last that came, not the last that happened.
      if (closedFor(await tables.channels.of(channel)) !== null) await resumeChannel(channel, 'seen');
      return true;
    }
    const { botName } = await identityOf(person);
    await context.reply(cannotPost({ why, botName }));
    return false;
  }

  async function namesIn(channel: Channel, filters: Filters): Promise<ReadonlyMap<string, string>> {
    const ids = [...filters.by, ...filters.notBy].flatMap((who) => ('userId' in who ? [who.userId] : []));
    const found = [...new Set(ids)].map(async (userId) => {
      const profile = await profileOf({ ...channel, userId }).catch(() => null);
      return [userId, profile?.name ?? userId] as const;
    });
    const hidden = (await sharedChannel.isDiscreet(channel)) ? await hiddenIn(channel, filters) : [];
    return new Map([...(await Promise.all(found)), ...hidden]);
  }

  /** What stands for e-mail addresses and paths where another organization reads along. */
  async function hiddenIn(channel: Channel, { by, notBy, paths }: Filters) {
    const emails = [...by, ...notBy].flatMap((who) => ('email' in who ? [who.email] : []));
    const named = emails.map(async (email) => [email, (await nameOf(channel, email)) ?? someone] as const);
    const short = paths.map((path) => [path, shortGlob(path)] as const);
    return [...(await Promise.all(named)), ...short];
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
