import { randomBytes } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Bot } from '../core/bot.ts';
import { installRoutes } from '../http/installing/install-routes.ts';
import { linkRoutes } from '../http/linking/link-routes.ts';
import { oauthCallbackRoutes } from '../http/linking/oauth-callback.ts';
import { makeReportFailure } from '../http/report-failure.ts';
import { withHeaders } from '../http/security-headers.ts';
import { readSlackBodies } from '../http/slack-body.ts';
import { minuteMs } from '../lib/durations.ts';
import { makeRateLimit } from '../lib/rate-limit.ts';
import type { Base } from './base.ts';

/** The limit on started installations per address. */
const installLimit = { most: 20, withinMs: minuteMs, keys: 10_000 };

type RoutesUses = {
  readonly slackAdapter: { readonly routes: RequestHandler };
  readonly bot: Bot;
  /** The route of callback URLs. */
  readonly receiving: { readonly routes: RequestHandler };
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
};

/** Returns the routes of the bot, in the order in which they are tried. */
export function composeRoutes({ env, slack, log }: Base, uses: RoutesUses): RequestHandler[] {
  const { slackAdapter, bot, receiving, headers } = uses;
  const { publicUrl } = env.http;
  const reportFailure = makeReportFailure({ randomBytes, log });
  const pageDeps = {
    bot,
    publicUrl,
    serviceName: env.service.name,
    scopes: env.service.scopes,
    reportFailure,
  };
  const installing = {
    publicUrl,
    limit: makeRateLimit({ ...installLimit, now: () => performance.now() }),
    reportFailure,
    log,
  };
  return [
    withHeaders(headers),
    receiving.routes,
    linkRoutes(pageDeps),
    oauthCallbackRoutes(pageDeps),
    ...(slack.installer ? [installRoutes({ ...installing, installer: slack.installer })] : []),
    readSlackBodies(),
    slackAdapter.routes,
  ];
}
