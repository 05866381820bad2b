import { randomBytes } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { LinkingRoom } from '../core/linking/linking-room.ts';
import type { Env } from '../env.ts';
import { installRoutes } from '../http/installing/install-routes.ts';
import { linkRoutes } from '../http/linking/link-routes.ts';
import { oauthCallbackRoutes } from '../http/linking/oauth-callback.ts';
import { makeReportFailure } from '../http/report-failure.ts';
import { withHeaders } from '../http/security-headers.ts';
import { readSlackBodies } from '../http/slack-body.ts';
import { minuteMs } from '../lib/durations.ts';
import { makeRateLimit } from '../lib/rate-limit.ts';
import type { SlackRoom } from './slack.ts';

/** Started installations by address. */
const installLimit = { most: 20, withinMs: minuteMs, keys: 10_000 };

type RoutesDeps = {
  readonly env: Env;
  readonly slack: Pick<SlackRoom, 'install'>;
  readonly slackAdapter: { readonly routes: RequestHandler };
  readonly linking: LinkingRoom;
  /** The address that notifications come to. */
  readonly receiving: { readonly routes: RequestHandler };
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  readonly log: Logger;
};

/** Every address of the bot, in the order in which they are tried. */
export function composeRoutes({
  env,
  slack,
  slackAdapter,
  linking,
  receiving,
  headers,
  log,
}: RoutesDeps): RequestHandler[] {
  const { publicUrl } = env.http;
  const reportFailure = makeReportFailure({ randomBytes, log });
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
    limit: makeRateLimit({ ...installLimit, now: () => performance.now() }),
    reportFailure,
  };
  return [
    withHeaders(headers),
    receiving.routes,
    linkRoutes(pageDeps),
    oauthCallbackRoutes(pageDeps),
    ...(slack.install ? [installRoutes({ ...slack.install, ...installing })] : []),
    readSlackBodies(),
    slackAdapter.routes,
  ];
}
