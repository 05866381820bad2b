import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation, InstallURLOptions } from '@slack/oauth';
import type { RequestHandler } from 'express';
import type { Kysely } from 'kysely';
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
import { makeDeliver } from './core/deliver.ts';
import { makeDoctor } from './core/doctor.ts';
import { makeFinishPending } from './core/finish-pending.ts';
import { makeFormPreview } from './core/form-preview.ts';
import { makeJudgeSignature } from './core/judge-signature.ts';
import { makeKeptRequests } from './core/kept-requests.ts';
import { makeLinkCommands } from './core/link-commands.ts';
import { makeLinking } from './core/linking/linking.ts';
import type { Postable } from './core/may-post.ts';
import { makeMoveChannel } from './core/move-channel.ts';
import { makeMute } from './core/mute.ts';
import { makePauseChannel } from './core/pause-channel.ts';
import { makePauseOwned } from './core/pause-owned.ts';
import { makePauseSubscription } from './core/pause-subscription.ts';
import type { Channel, Workspace } from './core/people.ts';
import type { PostOutcome } from './core/post.ts';
import { makePostDigests } from './core/post-digests.ts';
import { makePrepareTurn } from './core/prepare-turn.ts';
import { makeRateLimit } from './core/rate-limit.ts';
import { isStillGone, makeReceive } from './core/receive.ts';
import { makeReconcile } from './core/reconcile.ts';
import { makeReleaseEnded } from './core/release-ended.ts';
import { makeReleaseLink } from './core/release-link.ts';
import { remember } from './core/remember.ts';
import { defaultNames, type Request } from './core/request.ts';
import { makeResumeChannel } from './core/resume-channel.ts';
import { makeResumeWorkspaces } from './core/resume-workspaces.ts';
import { makeRetell } from './core/retell.ts';
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
import { notificationRoutes } from './http/notifications.ts';
import { oauthCallbackRoutes } from './http/oauth-callback.ts';
import { securityHeaders, withHeaders } from './http/security-headers.ts';
import { makeTakeNotifications, type RequestTaker } from './http/take-notifications.ts';
import { type Chore, startChores } from './jobs/chores.ts';
import { startDispatch } from './jobs/dispatch.ts';
import { openQueue } from './jobs/queue.ts';
import { renderActivity } from './messages/activity.ts';
import { cannotPost } from './messages/answers.ts';
import type { Message } from './messages/message.ts';
import type { Wording } from './messages/words.ts';
import { makeServiceClient } from './service/client.ts';
import { observe, verify } from './service/key-signatures.ts';
import { parseNotifications, tooDeep } from './service/notifications.ts';
import { makeServiceOAuth } from './service/oauth.ts';
import { adminsSchema, makeAdminsOf } from './slack/admins.ts';
import { makeAnswer } from './slack/answer.ts';
import { makeAskedFrom } from './slack/asked-from.ts';
import { makeBoltLogger } from './slack/bolt-logger.ts';
import { channelsSchema, makeChannelsOf } from './slack/channels-of.ts';
import { makeDirectMessage } from './slack/direct-message.ts';
import { openSlackDoor } from './slack/door.ts';
import { helpEntries } from './slack/grammar/help-entries.ts';
import { identityByInstallation, identityInOne, makeOneWorkspace } from './slack/identity.ts';
import { makeIsInChannel } from './slack/in-channel.ts';
import { makeInstallations } from './slack/installations.ts';
import { makeIsServed } from './slack/is-served.ts';
import { makeIsShared } from './slack/is-shared.ts';
import { makeLookUp } from './slack/look-up.ts';
import { makeMayPost, makeRecentlyMayPost } from './slack/may-post.ts';
import { makeEdit, makePost } from './slack/post.ts';
import { makeProfiles, type PersonByEmail, personByEmailSchema, profileSchema } from './slack/profiles.ts';
import { makeReceiver } from './slack/receiver.ts';
import { makeReplyInView } from './slack/reply-in-view.ts';
import { makeScreens } from './slack/screens.ts';
import { makeStateStore } from './slack/state-store.ts';
import { makeWebClients, webClientOptions } from './slack/web-clients.ts';
import { makeAcceptEvents } from './store/accept-events.ts';
import { makeAnnouncements } from './store/announcements.ts';
import { makeAudit } from './store/audit.ts';
import { makeChannelMoves } from './store/channel-moves.ts';
import { type ConnectedDatabase, type Connection, connectPipelined } from './store/database.ts';
import { makeDeadLetters } from './store/dead-letters.ts';
import { makeEvents } from './store/events.ts';
import { makeItems } from './store/items.ts';
import { makeKeyv, makeRecords, makeSealedRecords, sweepExpired } from './store/keyv-records.ts';
import { makeLanes } from './store/lanes.ts';
import { makeLinkAttempts } from './store/link-attempts.ts';
import { makeLinks } from './store/links.ts';
import { makePaces } from './store/paces.ts';
import { makeRequests } from './store/requests.ts';
import type { Database } from './store/schema.ts';
import type { Sealing } from './store/sealing.ts';
import { makeSecrets } from './store/secrets.ts';
import { makeSeenRequests } from './store/seen-requests.ts';
import { makeSettings } from './store/settings.ts';
import { makeSubscriptions } from './store/subscriptions.ts';
import { makeTraces } from './store/traces.ts';

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
const dayMs = 24 * 60 * minuteMs;
const recordTtl = {
  profile: 10 * minuteMs,
  personByEmail: dayMs,
  installState: 10 * minuteMs,
  inChannel: minuteMs / 6,
  channelsOf: 5 * minuteMs,
  mayPost: minuteMs / 2,
  admins: 60 * minuteMs,
  // As long as Slack takes answers to what was typed.
  keptRequest: 30 * minuteMs,
};
const limits = {
  commands: { most: 30, withinMs: minuteMs, keys: 10_000 },
  junkTokens: { most: 60, withinMs: minuteMs, keys: 10_000 },
  names: { forMs: minuteMs, most: 1_000 },
  looks: { most: 50, withinMs: 10_000, keys: 1 },
  receiving: { waiting: 5_000, bytes: 64 * 1024 * 1024, together: 500 },
};
/**
 * Longer than other calls get: a refresh token whose answer nobody waited for is used up. Below the 20 s after which Postgres ends a
 * transaction that waits, since the link's row is locked meanwhile.
 */
const tokenAnswerMs = 15_000;
/** Lanes that one sweep queues again. */
const lanesSwept = 5_000;

/** Builds everything and hands it over: the one place that knows all rooms. */
export async function wire(foundation: Foundation): Promise<Bot> {
  const { env, connection, database, sealing, clock, log } = foundation;
  const { db, pool } = database;
  const { publicUrl } = env.http;
  const works = env.role !== 'web';
  const monotonic = () => performance.now();
  const wording: Wording = { serviceName: env.service.name, commands: defaultNames };
  const wordingFor = ({ names }: Asked): Wording => ({ ...wording, commands: names });

  // The store.
  const tables = tablesOn(db);
  const transact = <T>(work: (tables: Tables) => Promise<T>) =>
    db.transaction().execute((trx) => work(tablesOn(trx)));
  const links = makeLinks({ db, sealing });
  const attempts = makeLinkAttempts({ db, sealing });
  const seenRequests = makeSeenRequests({ db });
  const audit = makeAudit({ db });
  const settings = makeSettings({ db });
  const requests = makeRequests({ db });
  const traces = makeTraces({ db });
  const keyv = makeKeyv({ pool });
  const figures = makeFigures({ backlog: tables.events.backlog, now: () => clock.now(), monotonic });
  const secrets = makeSecrets({ db, sealing });
  const tokenKey = await secrets.readOrCreate('callback tokens', () => randomBytes(32).toString('base64'));
  const tokens = makeCallbackTokens({ key: Buffer.from(tokenKey, 'base64') });

  // The queue.
  const queue = await openQueue({ connection, works, log });
  const enqueue = (lane: Channel) => queue.addLanes([lane]);
  const together: Together = (work) =>
    db.transaction().execute((trx) =>
      work({
        ...tablesOn(trx),
        announce: async (channel, message) => {
          await makeAnnouncements<Message>({ db: trx }).add(channel, message, clock.now());
          await queue.addLanes([channel], { db: fromKysely(trx) });
        },
      }),
    );
  const announce = (channel: Channel, message: Message) =>
    together((tables) => tables.announce(channel, message));

  // Slack.
  const logger = makeBoltLogger(log);
  const clientOptions = webClientOptions({ apiUrl: env.slack.apiUrl, logger });
  const { access } = env.slack;
  const installations = makeInstallations({
    records: makeSealedRecords<Installation>({ keyv, namespace: 'installations', sealing }),
  });
  const states = makeStateStore({
    records: makeRecords<InstallURLOptions>({
      keyv,
      namespace: 'install-states',
      ttlMs: recordTtl.installState,
    }),
    take: seenRequests.take,
    newState: () => randomBytes(24).toString('base64url'),
    now: () => clock.now(),
  });
  const { receiver, app: slackRoutes } = makeReceiver({
    signingSecret: env.slack.signingSecret,
    logger,
    now: () => clock.now(),
    install:
      access.kind === 'installed'
        ? { ...access, installations, states, publicUrl, clientOptions, authorizationUrl: authorizePage(env) }
        : null,
  });
  const oneWorkspace =
    access.kind === 'one workspace'
      ? makeOneWorkspace({ botToken: access.botToken, options: clientOptions })
      : null;
  const identityOf = identity();
  const clients = makeWebClients({ options: clientOptions, identityOf });
  const post = makePost({ clients });
  const directMessage = makeDirectMessage({ clients });
  const answer = makeAnswer({ fetch, allowedOrigins: env.slack.allowedResponseOrigins });
  const askedFrom = makeAskedFrom({ answer, directMessage, log });
  const mayPost = makeMayPost({ clients });
  const recentlyMayPost = makeRecentlyMayPost({
    mayPost,
    found: makeRecords<Postable>({ keyv, namespace: 'may-post', ttlMs: recordTtl.mayPost }),
  });
  const isShared = makeIsShared({ clients });
  const screens = makeScreens({ clients });
  const isInChannel = makeIsInChannel({
    clients,
    found: makeRecords<true>({ keyv, namespace: 'in-channel', ttlMs: recordTtl.inChannel }),
  });
  const adminsOf = makeAdminsOf({
    clients,
    kept: makeRecords({ keyv, namespace: 'admins', ttlMs: recordTtl.admins, schema: adminsSchema }),
    log,
  });
  const channelsOf = makeChannelsOf({
    clients,
    found: makeRecords({
      keyv,
      namespace: 'channels-of',
      ttlMs: recordTtl.channelsOf,
      schema: channelsSchema,
    }),
    log,
  });
  const { profileOf, byEmail } = makeProfiles({
    clients,
    profiles: makeRecords({ keyv, namespace: 'profiles', ttlMs: recordTtl.profile, schema: profileSchema }),
    peopleByEmail: makeRecords<PersonByEmail>({
      keyv,
      namespace: 'people-by-email',
      ttlMs: recordTtl.personByEmail,
      schema: personByEmailSchema,
    }),
  });

  // The service.
  const service = makeServiceClient({
    baseUrl: env.service.baseUrl,
    scopes: env.service.scopes,
    serviceName: env.service.name,
    log,
  });
  const oauth = makeServiceOAuth({
    authUrl: env.service.authUrl,
    baseUrl: env.service.baseUrl,
    clientId: env.service.clientId,
    clientSecret: env.service.clientSecret,
    scopes: env.service.scopes,
    redirectUri: `${publicUrl}/oauth/callback`,
    serviceName: env.service.name,
    limitMilliseconds: tokenAnswerMs,
    now: () => clock.now(),
  });

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
    records: makeRecords<Request>({ keyv, namespace: 'kept-requests', ttlMs: recordTtl.keptRequest }),
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
      mayPost: recentlyMayPost,
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
  const resumeWorkspaces = makeResumeWorkspaces({
    ...common,
    resumeChannel,
    isServed: makeIsServed({ clients }),
  });
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
  const releaseEnded = makeReleaseEnded(common);
  const finishPending = makeFinishPending({ ...common, checkSoon: reconcile.checkSoon });
  const postDigests = makePostDigests(common);
  const tidyEvents = makeTidyEvents({ ...common, audit, retentionDays: env.retentionDays });
  const uninstall = makeUninstall({
    ...common,
    forgetInstallation: async (workspace) => {
      const { teamId, enterpriseId } = workspace;
      await Promise.all([settings.forget(workspace), requests.forget(workspace)]);
      await installations.deleteInstallation({
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
  // A burst asks for the same few names again and again.
  const nameByKey = remember((key) => nameOf(...readPersonKey(key)), { ...limits.names, now: monotonic });
  const nameSoon = (workspace: Workspace, email: string) => nameByKey(personKey(workspace, email));
  const retell = makeRetell({ loadItems: tables.items.load, nameOf: nameSoon });
  const counted =
    <T extends unknown[]>(act: (...message: T) => Promise<PostOutcome>) =>
    async (...message: T) => {
      const outcome = await act(...message);
      figures.post(outcome.kind);
      return outcome;
    };
  const deliver = makeDeliver({
    clock,
    tables,
    transact,
    post: counted(post),
    edit: counted(makeEdit({ clients })),
    lookUp: makeLookUp({ clients }),
    retell,
    prepareTurn: makePrepareTurn({
      loadItems: tables.items.load,
      twins: tables.events.twins,
      nameOf: nameSoon,
      emailsOf,
    }),
    renderActivity: (input) => renderActivity({ ...input, showAllValue: 'message' }),
    pauseChannel,
    sleep,
    noted: figures.settled,
    log,
  });
  const looks = makeRateLimit({ ...limits.looks, now: monotonic });
  const judgeSignature = makeJudgeSignature({
    setting: env.service.signature,
    verify,
    observe,
    mayLook: () => looks.take('').allowed,
    sealedKeyOf: tables.subscriptions.sealedKeyOf,
    openKey: async ({ id, sealedKey }) =>
      sealedKey && sealing.open({ table: 'subscriptions', row: id, column: 'sealed_key' }, sealedKey),
    noteRule: tables.subscriptions.noteSignature,
    log,
  });
  const accepting = connectPipelined({ connection, log, max: 2, applicationName: 'plancast accepting' });
  const acceptEvents = makeAcceptEvents({
    pool: accepting.pool,
    queueing: queue.statementsFor,
    enqueue: (lanes) => queue.addLanes(lanes),
  });
  const receive = makeReceive({
    clock,
    byTokenHashes: tables.subscriptions.byTokenHashes,
    accept: async (...arrived) => {
      const accepted = await acceptEvents(...arrived);
      figures.accepted(accepted.added);
      return accepted;
    },
    limits: limits.receiving,
  });

  // The doors.
  const admit = makeAdmit({ profileOf, limit });
  const door = await openSlackDoor({
    receiver,
    clientOptions,
    logger,
    oneWorkspace,
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
      showAll: makeShowAll({ ...tables, retell }),
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
  const takeNotifications = makeTakeNotifications({
    isOurToken: tokens.isOurs,
    hashToken: tokens.hash,
    receive,
    parse: parseNotifications,
    tooDeep,
    ...judgeSignature,
    headers,
    log,
    counted: figures.notification,
  });
  const routes: RequestHandler[] = [
    withHeaders(headers),
    notificationRoutes({
      isOurToken: tokens.isOurs,
      hashToken: tokens.hash,
      stands,
      junk: makeRateLimit({ ...limits.junkTokens, now: monotonic }),
    }),
    linkRoutes(pageDeps),
    oauthCallbackRoutes(pageDeps),
    slackRoutes,
  ];
  const chores: Chore[] = [
    { name: 'sweep', cron: '* * * * *', run: sweep },
    { name: 'tidy', cron: '17 * * * *', run: tidy },
    { name: 'resume-workspaces', cron: '*/10 * * * *', run: resumeWorkspaces },
    { name: 'reconcile', cron: '29 * * * *', run: reconcile.reconcileAll, long: true },
    { name: 'keep-links-alive', cron: '41 3 * * *', run: async () => void (await linking.keepAlive()) },
  ];
  const dispatch = works ? startDispatch({ queue, deliver, now: () => clock.now(), log }) : null;
  if (works) await startChores({ boss: queue.boss, chores, log });
  if (works && (await tables.subscriptions.someAreElsewhere(publicUrl))) {
    reconcile
      .reconcileAll()
      .catch((error: unknown) => log.error({ err: error }, 'the check at the start failed'));
  }

  return {
    entrance: env.role === 'worker' ? { first: null, routes: [] } : { first: takeNotifications, routes },
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
      await accepting.close();
      await queue.close();
    },
  };

  function identity() {
    if (oneWorkspace) return identityInOne(oneWorkspace);
    if (!receiver.installer) throw new Error('the receiver has no installer');
    return identityByInstallation(receiver.installer);
  }

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

  async function stands(hash: Buffer): Promise<'live' | 'removed' | 'unknown'> {
    const found = (await tables.subscriptions.byTokenHashes([hash])).get(hash.toString('hex'));
    if (!found) return 'unknown';
    if (found.state !== 'ended') return 'live';
    return isStillGone(found, clock.now()) ? 'removed' : 'unknown';
  }

  function reportFailure(error: unknown): string {
    const reference = randomBytes(4).toString('hex');
    log.error({ err: error, reference }, 'a page failed');
    return reference;
  }

  /** Queues what waits and has no job, ends what is over, and finishes what was cut short. */
  async function sweep(): Promise<void> {
    await mute.endOver(await tables.lanes.mutedBefore(clock.now()));
    await postDigests();
    const waiting = await Promise.all([
      tables.events.lanesWaiting(lanesSwept),
      tables.announcements.lanesWaiting(lanesSwept),
    ]);
    await queue.addLanes(waiting.flat());
    await finishPending();
    await reconcile.mendInterrupted();
    await releaseEnded();
  }

  async function tidy(): Promise<void> {
    await linking.cleanAttempts();
    await seenRequests.forget(new Date(clock.now().getTime() - dayMs));
    await sweepExpired({ pool, now: new Date() });
    await tidyEvents();
    await requests.removeOld(new Date(clock.now().getTime() - 30 * dayMs));
  }
}

function personKey({ enterpriseId, teamId }: Workspace, email: string): string {
  return JSON.stringify([enterpriseId, teamId, email]);
}

function readPersonKey(key: string): [Workspace, string] {
  const [enterpriseId, teamId, email]: [string | null, string, string] = JSON.parse(key);
  return [{ enterpriseId, teamId }, email];
}

type Tables = ReturnType<typeof tablesOn>;

/** The tables that a turn of a lane changes together, on the pool or within a transaction. */
function tablesOn(db: Kysely<Database>) {
  return {
    announcements: makeAnnouncements<Message>({ db }),
    events: makeEvents({ db }),
    items: makeItems({ db }),
    lanes: makeLanes({ db }),
    paces: makePaces({ db }),
    subscriptions: makeSubscriptions({ db }),
  };
}

/** Slack's page that asks an admin; behind another address of the Web API it is on that host. */
function authorizePage(env: Env): string {
  const { origin } = new URL(env.slack.apiUrl);
  return `${origin}/oauth/v2/authorize`;
}
