import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { sql } from 'kysely';
import { authorizeAs } from '../../../sandbox/service/authorize-as.ts';
import { type PracticeService, startPracticeService } from '../../../sandbox/service/practice-service.ts';
import type { SwitchValues } from '../../../sandbox/service/switches.ts';
import type { Bot } from '../../../src/core/bot.ts';
import { makeAccessTokenFor } from '../../../src/core/linking/access-tokens.ts';
import type { RefreshResult } from '../../../src/core/metrics.ts';
import { defaultNames } from '../../../src/core/model/commands.ts';
import type { Link } from '../../../src/core/model/link.ts';
import type { Profile, SlackPerson } from '../../../src/core/model/people.ts';
import type { Request } from '../../../src/core/model/request.ts';
import { makeFollowUps } from '../../../src/core/requests/follow-up-links.ts';
import { linkRoutes } from '../../../src/http/linking/link-routes.ts';
import { oauthCallbackRoutes } from '../../../src/http/linking/oauth-callback.ts';
import { securityHeaders, withHeaders } from '../../../src/http/security-headers.ts';
import type { Message } from '../../../src/messages/text/message.ts';
import { makeServiceOAuth } from '../../../src/service/oauth.ts';
import { makeSealing, type Sealing, type TokenKey } from '../../../src/store/sealing/sealing.ts';
import { onDb } from '../../../src/store/sql.ts';
import * as links from '../../../src/store/tables/links.ts';
import { boundLinking } from '../../support/bound-linking.ts';
import { silentLog } from '../../support/log.ts';
import { type Answer, makePageBrowsers } from '../../support/page-browsers.ts';
import { freshDatabase } from '../../support/postgres.ts';

export const minute = 60_000;
export const day = 24 * 60 * minute;
export const clientId = 'plancast';
export const clientSecret = 'not-to-be-seen-anywhere';
export const serviceName = 'Harbour Docs';

/** Dana's address is the same in Slack and at the service; Mallory's Slack address does not exist at the service. */
export const dana: SlackPerson = { enterpriseId: null, teamId: 'T0ACME001', userId: 'U0DANA001' };
export const mallory: SlackPerson = { enterpriseId: null, teamId: 'T0ACME001', userId: 'U0MALLORY' };

type Options = {
  readonly name: string;
  readonly switches?: Partial<SwitchValues> | undefined;
  /** The public URL that the bot is configured with; by default the address it listens on. */
  readonly publicUrl?: string | undefined;
};

type RememberedSlack = {
  /** Profiles by `keyOf`; a person without one is a member without an address. */
  readonly profiles: Map<string, Partial<Profile>>;
  isDown: boolean;
  readonly messages: { readonly person: SlackPerson; readonly message: Message }[];
};

export type LinkWorld = Awaited<ReturnType<typeof startLinkWorld>>;

/** Runs the bot's linking over HTTP, with a real database and a practice service; Slack is replaced by lists. */
export async function startLinkWorld({ name, switches, publicUrl: outside }: Options) {
  const database = await freshDatabase(name);
  const app = express();
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const local = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const publicUrl = outside ?? local;
  const redirectUri = `${publicUrl}/oauth/callback`;

  let time = Date.parse('2026-11-20T09:00:00Z');
  const clock = {
    now: () => new Date(time),
    advance(milliseconds: number) {
      time += milliseconds;
    },
  };
  const service = await startPracticeService({
    clientId,
    clientSecret,
    redirectUris: [redirectUri],
    now: () => time,
    switches,
  });

  const { db } = database.connect();
  const sealingKey = randomBytes(32);
  let sealingNow = makeSealing([{ id: 'k1', secret: sealingKey }]);
  const sealing: Pick<Sealing, 'seal' | 'open'> = {
    seal: (place, text) => sealingNow.seal(place, text),
    open: (place, sealed) => sealingNow.open(place, sealed),
  };
  const oauth = makeServiceOAuth({
    authUrl: service.authUrl,
    baseUrl: service.baseUrl,
    clientId,
    clientSecret,
    scopes: ['full_user'],
    redirectUri,
    serviceName,
    now: clock.now,
  });

  const slack: RememberedSlack = {
    profiles: new Map([
      [keyOf(dana), { name: 'dana', email: 'dana@example.com' }],
      [keyOf(mallory), { name: 'mallory', email: 'mallory@example.com' }],
    ]),
    isDown: false,
    messages: [],
  };
  const failures: { readonly what: string; readonly error: unknown }[] = [];
  const refreshes: RefreshResult[] = [];
  const released: Link[] = [];
  const hooks = {
    releaseSubscriptions: async (link: Link, _signal: AbortSignal): Promise<void> => void released.push(link),
    sleep: (milliseconds: number): Promise<void> => sleep(Math.min(milliseconds, 20)),
  };
  const failWhenDown = (): void => {
    if (slack.isDown) throw new Error('Slack cannot be asked.');
  };

  const profileOf = async (person: SlackPerson): Promise<Profile> => {
    failWhenDown();
    const known = slack.profiles.get(keyOf(person));
    return { name: person.userId, email: null, zone: 'Etc/UTC', standing: 'member', ...known };
  };

  const noteLine = (fields: { err?: unknown }, message: string): void => {
    const [, what] = /^could not (.*)$/.exec(message) ?? [];
    if (what !== undefined) failures.push({ what, error: fields.err });
  };
  const unbound = {
    db,
    sealing,
    clock,
    config: { publicUrl, copy: { serviceName, commands: defaultNames } },
    keyv: { get: async () => undefined },
    slack: {
      profileOf,
      currentProfileOf: profileOf,
      workspaceNameOf: async ({ teamId }: { teamId: string }): Promise<string> => {
        failWhenDown();
        return teamId === 'T0ACME001' ? 'Acme' : `Workspace ${teamId}`;
      },
      directMessage: async (person: SlackPerson, message: Message): Promise<void> => {
        failWhenDown();
        const { enterpriseId, teamId, userId } = person;
        slack.messages.push({ person: { enterpriseId, teamId, userId }, message });
      },
    },
    service: { oauth },
    metrics: { refresh: (result: RefreshResult): void => void refreshes.push(result) },
    log: { ...silentLog, warn: noteLine },
    homeTabs: { watched: new Map(), now: () => 0 },
    upstream: {
      releaseLink: (link: Link, signal: AbortSignal) => hooks.releaseSubscriptions(link, signal),
      reconcile: { resumeSoon: () => undefined },
    },
    followUpLink: (attemptId: string) => followUps.followUpLink(attemptId),
    sleep: (milliseconds: number) => hooks.sleep(milliseconds),
  } as unknown as Bot & { readonly sleep: (milliseconds: number) => Promise<void> };
  const bot: Bot = { ...unbound, accessTokenFor: makeAccessTokenFor(unbound) };
  const followUps = makeFollowUps(bot);
  const linking = { ...boundLinking(bot), ...followUps };

  const reported: unknown[] = [];
  const reportFailure = (error: unknown): string => `R${reported.push(error)}`;
  app.use(withHeaders(securityHeaders({ publicUrl, authUrl: service.authUrl })));
  app.use(linkRoutes({ bot, publicUrl, serviceName, scopes: ['full_user'], reportFailure }));
  app.use(oauthCallbackRoutes({ bot, publicUrl, serviceName, reportFailure }));

  const { openBrowser, askLocal, goToService } = makePageBrowsers(publicUrl, local);

  /** Starts a link for a person and returns the URL behind the Link button. */
  async function offer(person: SlackPerson, request: Request | null = null): Promise<string> {
    const started = await linking.startLink({
      person,
      channelId: 'C0PLANS001',
      responseUrl: 'https://hooks.slack.com/commands/T0ACME001/1/secret-part',
      request,
    });
    if (started.outcome !== 'started') throw new Error(`the link was not started: ${started.outcome}`);
    return started.url;
  }

  /** Goes the whole way in one browser, with an account at the service. */
  async function link(person: SlackPerson, account: string, request: Request | null = null): Promise<Answer> {
    const browser = openBrowser();
    const consent = await goToService(browser, await offer(person, request));
    return browser.open(await authorizeAs(consent, account));
  }

  /** Counts the stored links and tokens, in all tables that can hold them. */
  async function stored(): Promise<{ links: number; tokens: number }> {
    const { rows } = await sql<{ links: string; tokens: string }>`
      select (select count(*) from plancast.links) as links,
        (select count(sealed_access_token) + count(sealed_refresh_token) from plancast.links)
        + (select count(sealed_access_token) + count(sealed_refresh_token) from plancast.link_attempts) as tokens`.execute(
      db,
    );
    return { links: Number(rows[0]?.links), tokens: Number(rows[0]?.tokens) };
  }

  /** Returns everything in the two tables as text, to search for what must not be there. */
  async function dump(): Promise<string> {
    const { rows } = await sql<{ line: string }>`
      select row_to_json(l)::text as line from plancast.links l
      union all select row_to_json(a)::text from plancast.link_attempts a`.execute(db);
    return rows.map(({ line }) => line).join('\n');
  }

  return {
    db,
    sealing,
    sealingKey,
    /** Continues with other keys, like a restarted bot. */
    openWith(keys: readonly TokenKey[]): void {
      sealingNow = makeSealing(keys);
    },
    database,
    links: onDb(db, links),
    oauth,
    linking,
    bot: unbound,
    hooks,
    service,
    slack,
    clock,
    publicUrl,
    failures,
    refreshes,
    reported,
    released,
    openBrowser,
    askLocal,
    offer,
    goToService,
    link,
    stored,
    dump,
    /** Forgets what happened so far; the clock keeps its time. */
    async reset(): Promise<void> {
      await sql`truncate plancast.links, plancast.link_attempts`.execute(db);
      service.faults.clear();
      service.log.clear();
      slack.isDown = false;
      for (const list of [slack.messages, failures, refreshes, reported, released]) list.length = 0;
    },
    async close(): Promise<void> {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      await service.close();
      await database.drop();
    },
  };
}

/** Counts how many codes the service has exchanged for tokens. */
export function exchanges(service: PracticeService): number {
  return service.log.of('token').filter(({ grant }) => grant === 'authorization_code').length;
}

/** Returns the code on a page, as a person reads it. */
export function codeOn(page: Answer): string {
  const code = /<span aria-hidden="true">([A-Z2-9]{6})<\/span>/.exec(page.text)?.[1];
  if (code === undefined) throw new Error(`there is no code on this page (${page.status}): ${page.text}`);
  return code;
}

/** Returns the heading of a page. */
export function headingOf(page: Answer): string {
  return /<h1>(.*?)<\/h1>/.exec(page.text)?.[1] ?? '';
}

export function keyOf({ enterpriseId, teamId, userId }: SlackPerson): string {
  return `${enterpriseId} ${teamId} ${userId}`;
}
