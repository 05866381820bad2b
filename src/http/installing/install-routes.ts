import { randomBytes } from 'node:crypto';
import { type Request, type Response, Router } from 'express';
import { finishInstall, type Installer, installSeconds } from '../../core/installing/finish-install.ts';
import type { Log } from '../../lib/log.ts';
import type { RateLimit } from '../../lib/rate-limit.ts';
import { makeCookie, searchParamsOf } from '../browser.ts';
import {
  canceledPage,
  type InstallProblem,
  installedPage,
  installProblemPage,
} from '../pages/install-pages.ts';
import type { ReportFailure } from '../pages/problem-page.ts';

/** Where an installation starts, and where Slack sends the browser back. */
export const installPaths = { start: '/slack/install', redirect: '/slack/oauth_redirect' } as const;

type InstallRoutesDeps = {
  readonly publicUrl: string;
  readonly installer: Installer;
  /** Counts started installations by address. */
  readonly limit: RateLimit;
  readonly reportFailure: ReportFailure;
  readonly log: Log;
};

const browserForm = /^[A-Za-z0-9_-]{32}$/;

/** The pages that install the bot. Mount at the root, after the security headers. */
export function installRoutes(deps: InstallRoutesDeps): Router {
  const cookie = makeCookie(deps.publicUrl, 'install');
  const startUrl = `${deps.publicUrl}${installPaths.start}`;
  const router = Router();

  router
    .route(installPaths.start)
    .get(async (request, response) => {
      const limit = deps.limit.take(request.ip ?? '');
      if (!limit.allowed) {
        response.set('retry-after', String(limit.retryInSeconds));
        return sendProblem(response, 'limited');
      }
      // A second tab keeps the first one's cookie, so that either can finish.
      const browser = browserOf(request) ?? randomBytes(24).toString('base64url');
      cookie.give(response, browser, installSeconds);
      response.redirect(302, await deps.installer.approvalUrl(browser));
    })
    .all((_request, response) => refuseMethod(response, 'GET, HEAD'));

  router
    .route(installPaths.redirect)
    // Express would answer HEAD with the GET handler below, and a HEAD must not use up the state.
    .head((_request, response) => {
      response.set('Allow', 'GET').status(405).end();
    })
    .get(async (request, response) => {
      const searchParams = searchParamsOf(request);
      const browser = browserOf(request);
      const finished = await finishInstall(deps.installer, deps.log, { searchParams, browser });
      if (finished.outcome === 'installed') response.send(installedPage(finished.installed));
      else if (finished.outcome === 'canceled') response.send(canceledPage({ startUrl }));
      else sendProblem(response, finished.fault);
    })
    .all((_request, response) => refuseMethod(response, 'GET'));

  router.use(
    Object.values(installPaths),
    (error: unknown, _request: Request, response: Response, next: (error: unknown) => void) => {
      const reference = deps.reportFailure(error);
      if (response.headersSent) return next(error);
      sendProblem(response, 'failure', reference);
    },
  );
  return router;

  function browserOf(request: Request): string | null {
    const value = cookie.read(request);
    return value !== null && browserForm.test(value) ? value : null;
  }

  function refuseMethod(response: Response, allow: string): void {
    response.set('Allow', allow);
    sendProblem(response, 'method');
  }

  function sendProblem(response: Response, problem: InstallProblem, reference?: string): void {
    const { status, text } = installProblemPage(problem, { startUrl, reference });
    response.status(status).send(text);
  }
}
