import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuthorizeResult, AuthorizeSourceData } from '@slack/bolt';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import { JWTExpired } from 'jose/errors';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import { type Installer, installSeconds, type StateFault } from '../../core/installing/finish-install.ts';
import type { Workspace } from '../../core/model/people.ts';
import { usualBotName } from '../../core/slack.ts';
import { fetchInstallation, makeFreshInstallations, type SlackApp } from './installations.ts';
import { authorizeUrl, exchangeCode, refresh } from './oauth.ts';
import { type BotIdentity, type IdentityOf, NotInstalledError } from './web-clients.ts';

/** Who the bot is in each workspace, and how it comes to further ones. */
export type Identities = {
  readonly identityOf: IdentityOf;
  /** Bolt's `authorize`. */
  readonly authorize: (source: AuthorizeSourceData) => Promise<AuthorizeResult>;
  /** Null if the bot stays in one workspace. */
  readonly installer: Installer | null;
};

type OneWorkspace = Workspace &
  BotIdentity & { readonly botId: string | undefined; readonly botUserId: string | undefined };

/** A workspace, as a request or a caller names it. */
type NamedWorkspace = {
  readonly teamId?: string | undefined;
  readonly enterpriseId?: string | null | undefined;
};

/** Knows the bot in its only workspace, by a configured token; throws `NotInstalledError` for any other. Asks Slack once, if it answers. */
export function makeOneWorkspace(botToken: string, options: WebClientOptions): Identities {
  let known: Promise<OneWorkspace> | undefined;

  async function identityOf({ teamId, enterpriseId }: NamedWorkspace): Promise<OneWorkspace> {
    known ??= askWhere(botToken, options).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    const own = await known;
    if (teamId === own.teamId || enterpriseId === own.teamId) return own;
    throw new NotInstalledError('the bot token belongs to another workspace');
  }

  return {
    identityOf,
    authorize: async (source) => {
      const { botId, botUserId, teamId } = await identityOf(source);
      return {
        ...(botId === undefined ? {} : { botId }),
        ...(botUserId === undefined ? {} : { botUserId }),
        teamId,
      };
    },
    installer: null,
  };
}

async function askWhere(botToken: string, options: WebClientOptions): Promise<OneWorkspace> {
  const answer = await new WebClient(botToken, options).auth.test();
  if (!answer.team_id)
    throw new NotInstalledError('Slack did not say to which workspace the bot token belongs');
  return {
    botToken,
    botUserId: answer.user_id,
    botId: answer.bot_id,
    botName: answer.user ?? usualBotName,
    workspaceName: answer.team ?? null,
    teamId: answer.team_id,
    enterpriseId: answer.enterprise_id ?? null,
    scopes: answer.response_metadata?.scopes ?? null,
  };
}

/** Returns the bot's identity by installation, each with a token that is valid now. */
export function makeInstalled(app: SlackApp): Identities {
  const installationOf = makeFreshInstallations({
    ...app,
    refresh: (token) => refresh(app, token),
    monotonic: () => performance.now(),
    sleep,
  });
  return {
    identityOf: async ({ teamId, enterpriseId }) => {
      const { bot, team, enterprise } = await installationOf({
        teamId,
        enterpriseId: enterpriseId ?? undefined,
        isEnterpriseInstall: false,
      });
      if (!bot) throw new NotInstalledError('the installation has no bot token');
      return {
        botToken: bot.token,
        botName: usualBotName,
        workspaceName: team?.name ?? enterprise?.name ?? null,
        scopes: bot.scopes,
      };
    },
    // Without a token: no handler uses Bolt's own client, Bolt would keep a client per token forever, and Slack's three seconds are too short
    // to wait for a refresh.
    authorize: async ({ teamId, enterpriseId, isEnterpriseInstall }) => {
      const installation = await fetchInstallation(app, { teamId, enterpriseId, isEnterpriseInstall });
      const team = installation.team?.id ?? teamId;
      const enterprise = installation.enterprise?.id ?? enterpriseId;
      return {
        ...(installation.bot ? { botId: installation.bot.id, botUserId: installation.bot.userId } : {}),
        ...(team === undefined ? {} : { teamId: team }),
        ...(enterprise === undefined ? {} : { enterpriseId: enterprise }),
      };
    },
    installer: {
      approvalUrl: async (browser) => authorizeUrl(app, await makeState(app, browser)),
      takeState: (state, browser) => takeState(app, state, browser),
      exchange: (code) => exchangeCode(app, code),
    },
  };
}

// OAuth states of installations: signed, bound to a browser, valid for ten minutes and for one use. Nothing is stored until a state comes
// back, so opening the install page costs no row. Bolt's own states can be reused until they expire (seen in @slack/oauth 4.0.0).

const algorithm = 'HS256';

/** Makes a new state for the browser with this cookie. */
function makeState({ stateKey, clock }: SlackApp, browser: string): Promise<string> {
  return new SignJWT({ browser: hashOf(browser) })
    .setProtectedHeader({ alg: algorithm })
    .setJti(randomBytes(16).toString('base64url'))
    .setExpirationTime(Math.floor(clock.now().getTime() / 1_000) + installSeconds)
    .sign(stateKey);
}

/** Uses up a state; returns why it is not valid, or null if it is. */
async function takeState(app: SlackApp, state: string, browser: string | null): Promise<StateFault | null> {
  const currentDate = app.clock.now();
  const options = { algorithms: [algorithm], currentDate, requiredClaims: ['jti', 'exp', 'browser'] };
  const read = await jwtVerify(state, app.stateKey, options).catch((error: unknown) =>
    // jose checks the signature before the expiration time.
    error instanceof JWTExpired ? 'expired' : 'unknown',
  );
  if (typeof read === 'string') return read;
  const { jti, browser: startedIn } = read.payload;
  if (browser === null || startedIn !== hashOf(browser)) return 'foreign';
  return (await app.takeId(`install:${jti}`, currentDate)) ? null : 'used';
}

/** Hashes the cookie's value for the state. States are part of URLs, which end up in histories and logs; the value itself must not. */
function hashOf(browser: string): string {
  return createHash('sha256').update(browser).digest('base64url');
}
