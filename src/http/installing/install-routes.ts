import { randomBytes } from 'node:crypto';
import { type Request, type Response, Router } from 'express';
import type { Bot } from '../../core/bot.ts';
import { finishInstall, type Installer, installSeconds } from '../../core/installing/finish-install.ts';
import { makeCookie, searchParamsOf } from '../browser.ts';
import {
  canceledPage,
  type InstallProblem,
  installedPage,
  installProblemPage,
} from '../pages/install-pages.ts';
import { reportFailure } from '../pages/problem-page.ts';

/** Where an installation starts, and where Slack sends the browser back. */
export const installPaths = { start: '/slack/install', redirect: '/slack/oauth_redirect' } as const;

const browserForm = /^[A-Za-z0-9_-]{32}$/;

/** The pages that install the bot. Mount at the root, after the security headers. */
export function installRoutes(bot: Bot, installer: Installer): Router {
  const { publicUrl } = bot.config;
  const cookie = makeCookie(publicUrl, 'install');
  const startUrl = `${publicUrl}${installPaths.start}`;
  const router = Router();

  router
    .route(installPaths.start)
    .get(async (request, response) => {
      // A second tab keeps the first one's cookie, so that either can finish.
      const browser = browserOf(request) ?? randomBytes(24).toString('base64url');
      cookie.give(response, browser, installSeconds);
      response.redirect(302, await installer.approvalUrl(browser));
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
      const finished = await finishInstall(installer, bot.log, { searchParams, browser });
      if (finished === 'canceled') response.send(canceledPage({ startUrl }));
      else if (typeof finished === 'string') sendProblem(response, finished);
      else response.send(installedPage(finished));
    })
    .all((_request, response) => refuseMethod(response, 'GET'));

  router.use(
    Object.values(installPaths),
    (error: unknown, _request: Request, response: Response, next: (error: unknown) => void) => {
      const reference = reportFailure(bot, error);
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
