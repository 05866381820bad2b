import { randomBytes } from 'node:crypto';
import express from 'express';
import { type BotAnswer, makeDeliver, type Outgoing, type Tampering } from './deliver.ts';
import { idOf, type NewChannel, type NewUser, type NewWorkspace, type Ref } from './directory.ts';
import type { Fault, FaultHandle } from './faults.ts';
import { findButton } from './find-elements.ts';
import { apiRoutes } from './http/api-routes.ts';
import {
  allowInstall,
  type Decision,
  denyInstall,
  installPages,
  readInstallRequest,
} from './http/install-pages.ts';
import { practiceRoutes } from './http/practice-routes.ts';
import { startServer } from './http/start-server.ts';
import type { Fields } from './json.ts';
import { rates } from './limits.ts';
import { makeLookout } from './lookout.ts';
import type { Message } from './messages.ts';
import {
  deleteChannel,
  inviteBot,
  openHome,
  removeBot,
  setAccess,
  setArchived,
  shareChannel,
  type UninstallInput,
  uninstall,
  unshareChannel,
} from './people/channel-life.ts';
import { type ClickInput, click } from './people/click.ts';
import { type CommandInput, command } from './people/command.ts';
import { checkSsl, type EventInput, sendEvent, verifyUrl } from './people/event.ts';
import type { Stage } from './people/interaction.ts';
import { type ShortcutInput, shortcut } from './people/shortcut.ts';
import { type CloseInput, closeView, type SubmitInput, submitView } from './people/submit-view.ts';
import { type SuggestInput, suggest } from './people/suggest.ts';
import { rewrite, type WriteInput, write } from './people/write.ts';
import type { RateMode } from './rates.ts';
import { makeState, type State } from './state.ts';

export interface PracticeSlackOptions {
  /** Default: any free port. */
  port?: number | undefined;
  signingSecret: string;
  /** Returns epoch milliseconds. Determines rates, lifetimes, timestamps and signatures; waiting uses real time. */
  now?: (() => number) | undefined;
  /** The clock by which triggers expire. Default: `now`. */
  triggersNow?: (() => number) | undefined;
  /** The bot's `/slack/events` address; can be set later. */
  botRequestUrl?: string | undefined;
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** The app's registered slash commands. Slack answers others itself. Default: any command is the app's. */
  commands?: readonly string[] | undefined;
  /** The hosts in the app's manifest whose links it is sent. Default: none. */
  unfurlDomains?: readonly string[] | undefined;
  /** The app's registered redirect address: installs return there if the authorize URL names none. */
  redirectUri?: string | undefined;
  /** Whether the app rotates its tokens. Default: false. */
  tokenRotation?: boolean | undefined;
  /** Default: `strict`. */
  rateLimit?: RateMode | undefined;
  /** Default 600: Slack says "several hundred". */
  workspacePostsPerMinute?: number | undefined;
  /** Real milliseconds Slack waits for the bot's answer. Default 3000. */
  answerWithinMs?: number | undefined;
  /** The origin of a page that may call `/practice/` from a browser. Default: only its own. */
  pageOrigin?: string | undefined;
  /** Distinguishes one-time ids from those of an earlier start. Default: random. */
  salt?: string | undefined;
}

/** Creates the actions of people, admins and Slack itself. */
function makeDoings(stage: Stage) {
  const { state } = stage;
  return {
    command: (input: CommandInput) => command(stage, input),
    write: (input: WriteInput) => write(stage, input),
    rewrite: (message: Message, text: string) => rewrite(stage, message, text),
    click: (input: ClickInput) => click(stage, input),
    submitView: (input: SubmitInput) => submitView(stage, input),
    closeView: (input: CloseInput) => closeView(stage, input),
    suggest: (input: SuggestInput) => suggest(stage, input),
    shortcut: (input: ShortcutInput) => shortcut(stage, input),
    event: (inner: Fields, input?: EventInput) => sendEvent(stage, inner, input),
    urlVerification: (challenge?: string, tamper?: Tampering) => verifyUrl(stage, challenge, tamper),
    sslCheck: (tamper?: Tampering) => checkSsl(stage, tamper),
    /** Sends any body with any content type, signed unless tampered with. */
    sendRaw: (outgoing: Outgoing): Promise<BotAnswer> => stage.deliver(outgoing),
    openHome: (user: Ref, tab?: 'home' | 'messages') => openHome(stage, user, tab),
    inviteBot: (channel: Ref, by: Ref) => inviteBot(stage, channel, by),
    removeBot: (channel: Ref, by: Ref) => removeBot(stage, channel, by),
    archive: (channel: Ref, by: Ref) => setArchived(stage, channel, { archived: true, by }),
    unarchive: (channel: Ref, by: Ref) => setArchived(stage, channel, { archived: false, by }),
    deleteChannel: (channel: Ref, by: Ref) => deleteChannel(stage, channel, by),
    /** With another workspace, by its team id; an unknown one belongs to another organization. */
    shareChannel: (channel: Ref, withTeam = 'T0ELSEWHERE') => shareChannel(stage, channel, withTeam),
    unshareChannel: (channel: Ref, withTeam = 'T0ELSEWHERE') => unshareChannel(stage, channel, withTeam),
    uninstall: (teamId: string, how?: UninstallInput) => uninstall(stage, teamId, how),
    grantAccess: (...teamIds: string[]) => setAccess(stage, teamIds, true),
    revokeAccess: (...teamIds: string[]) => setAccess(stage, teamIds, false),
    /** Clicks Allow on the authorize page at `url`. Returns the address the browser is sent to. */
    allowInstall: (
      url: string,
      { user, declined, teamId }: { user: Ref } & Partial<Omit<Decision, 'userId'>>,
    ) =>
      allowInstall(state, readInstallRequest(new URL(url).searchParams), {
        teamId: teamId ?? state.directory.user(user).teamId,
        userId: idOf(user),
        declined,
      }),
    /** Clicks Cancel on that page. */
    denyInstall: (url: string) => denyInstall(state, readInstallRequest(new URL(url).searchParams)),
    fault: (fault: Fault): FaultHandle => state.faults.set(fault),
    clearFaults: () => state.faults.clear(),
  };
}

/** Notifies the bot of an uninstall that it requested itself, without delaying the response to its call. */
function uninstallRevoked(stage: Stage, isKnown: () => boolean): { settled: () => Promise<void> } {
  const underWay = new Set<Promise<unknown>>();
  stage.state.onRevoked.add((workspaces) => {
    if (!isKnown()) return;
    for (const { teamId } of workspaces) {
      const uninstalling = uninstall(stage, teamId).finally(() => underWay.delete(uninstalling));
      underWay.add(uninstalling);
    }
  });
  return { settled: async () => void (await Promise.allSettled(underWay)) };
}

function stateFor(options: PracticeSlackOptions): State {
  const { now = Date.now, salt = randomBytes(4).toString('hex') } = options;
  return makeState({
    now,
    triggersNow: options.triggersNow ?? now,
    salt,
    rateLimit: options.rateLimit ?? 'strict',
    workspacePostsPerMinute: options.workspacePostsPerMinute ?? rates.workspacePostsPerMinute,
    app: {
      appId: 'A0PRACTICE',
      clientId: options.clientId ?? 'practice-client-id',
      clientSecret: options.clientSecret ?? 'practice-client-secret',
      signingSecret: options.signingSecret,
      commands: options.commands,
      unfurlDomains: options.unfurlDomains ?? [],
      redirectUri: options.redirectUri,
      tokenRotation: options.tokenRotation ?? false,
    },
  });
}

/**
 * Starts a practice Slack on loopback: it serves the Web API, acts as people and logs what the bot did. It starts empty: add workspaces,
 * users and channels, or use those of `seedNorthwind`.
 * @throws the system's error if the port is taken
 */
export async function startPracticeSlack(options: PracticeSlackOptions) {
  const state = stateFor(options);
  let { botRequestUrl } = options;
  let origin = '';
  const deliver = makeDeliver({
    state,
    botRequestUrl: () => botRequestUrl,
    answerWithinMs: options.answerWithinMs,
  });
  const stage: Stage = { state, deliver, origin: () => origin };
  const revocations = uninstallRevoked(stage, () => botRequestUrl !== undefined);

  const app = express();
  app.disable('x-powered-by');
  app.use(apiRoutes(state), installPages(state), practiceRoutes(stage, options.pageOrigin));
  const server = await startServer(app, options.port ?? 0);
  origin = `http://127.0.0.1:${server.port}`;

  const { directory } = state;
  return {
    ...makeDoings(stage),
    ...makeLookout(state),
    /** For `SLACK_API_URL`; response URLs have the same origin. */
    apiUrl: `${origin}/api/`,
    origin,
    authorizeUrl: `${origin}/oauth/v2/authorize`,
    app: state.app,
    workspaces: directory.workspaces,
    users: directory.users,
    channels: directory.channels,
    addWorkspace: (workspace?: NewWorkspace) => directory.addWorkspace(workspace),
    addUser: (user?: NewUser) => directory.addUser(user),
    addChannel: (channel?: NewChannel) => directory.addChannel(channel),
    /** Returns the direct messages between a person and a workspace's bot. */
    directChannel: (teamId: string, user: Ref) => directory.directChannel(teamId, idOf(user)),
    button: findButton,
    get botRequestUrl(): string | undefined {
      return botRequestUrl;
    },
    set botRequestUrl(url: string | undefined) {
      botRequestUrl = url;
    },
    get rateLimit(): RateMode {
      return state.rates.mode;
    },
    set rateLimit(mode: RateMode) {
      state.rates.mode = mode;
    },
    /** Closes everything: in-flight requests, waits, streams. */
    async close(): Promise<void> {
      state.closing.abort();
      await server.close();
      await revocations.settled();
    },
  };
}

export type PracticeSlack = Awaited<ReturnType<typeof startPracticeSlack>>;
