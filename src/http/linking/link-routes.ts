import { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import type { Bot } from '../../core/bot.ts';
import { type AttemptShown, finishLink, showAttempt } from '../../core/linking/prove-person.ts';
import { burnTicket, sendNewLink, showTicket } from '../../core/linking/tickets.ts';
import { makeCookie, searchParamsOf } from '../browser.ts';
import { askPage, codePage, linkedPage, newLinkPage, workingPage } from '../pages/link-pages.ts';
import { type Problem, problemPage, reportFailure } from '../pages/problem-page.ts';

/** After how many seconds a browser asks again about an attempt that is being finished. */
const workingSeconds = 2;

/**
 * The pages of linking. Mount at the root, after the security headers. `/link/{ticket}`: the page that asks for confirmation, and its form; for
 * a ticket that no longer works, a form that sends a new link in Slack. `/oauth/callback`, where the service sends the browser back, and
 * `/linked`, which says how that went: the service's code must not be visible to the person, so the callback redirects whatever happens.
 * @param scopes what the page says that the bot asks for
 */
export function linkRoutes(bot: Bot, scopes: readonly string[]): Router {
  const { publicUrl, copy } = bot.config;
  const cookie = makeCookie(publicUrl, 'link');
  const ownOrigin = new URL(publicUrl).origin;
  const report = (error: unknown) => reportFailure(bot, error);
  const router = Router();

  router
    .route('/link/:ticket')
    // Express also answers HEAD with this, which is fine because it only reads.
    .get(async (request, response) => {
      const shown = await showTicket(bot, request.params.ticket);
      if (typeof shown === 'string') return sendProblem(response, shown);
      response.send(askPage({ asker: shown, serviceName: copy.serviceName, scopes }));
    })
    .post(async (request, response) => {
      if (!isFromOwnPage(request, ownOrigin)) return sendProblem(response, 'foreign-form');
      if (searchParamsOf(request).has('new')) {
        const sent = await sendNewLink(bot, request.params.ticket);
        if (sent !== 'sent') return sendProblem(response, sent);
        response.send(newLinkPage());
        return;
      }
      const used = await burnTicket(bot, request.params.ticket);
      if (typeof used === 'string') return sendProblem(response, used);
      cookie.give(response, used.cookie, used.cookieSeconds);
      response.redirect(303, used.authorizationUrl.href);
    })
    .all((_request, response) => {
      response.set('Allow', 'GET, HEAD, POST');
      sendProblem(response, 'method');
    });
  router
    .route('/oauth/callback')
    // Express would answer HEAD with the GET handler below, and a HEAD must not use up the state.
    .head((_request, response) => {
      response.set('Allow', 'GET').status(405).end();
    })
    .get(async (request, response) => {
      if (isPrefetch(request)) {
        // Browsers discard this response to a prefetch and ask again when a person opens the page.
        response.status(503).end();
        return;
      }
      const searchParams = searchParamsOf(request);
      try {
        const finished = await finishLink(bot, { searchParams, cookie: cookie.read(request), report });
        if (finished !== null) cookie.give(response, finished.cookie, finished.cookieSeconds);
      } catch (error) {
        report(error);
      }
      response.redirect(303, `${publicUrl}/linked`);
    })
    .all((_request, response) => {
      response.set('Allow', 'GET');
      sendProblem(response, 'method');
    });
  router.get('/linked', async (request, response) => {
    const shown = await showAttempt(bot, cookie.read(request));
    if (shown.outcome === 'working') response.set('Refresh', String(workingSeconds));
    // With status 200 even if the attempt failed, because proxies replace pages with other ones.
    response.send(pageOf(shown, copy.serviceName));
  });
  const failed: ErrorRequestHandler = (error, _request, response, next) => {
    // Express cannot decode `/link/%`, so there is no such page.
    if (error instanceof URIError && !response.headersSent) return sendProblem(response, 'unknown');
    const reference = report(error);
    if (response.headersSent) return next(error);
    sendProblem(response, 'failure', { reference });
  };
  router.use(['/link', '/oauth/callback', '/linked'], failed);
  return router;
}

/** Sends the page for a problem, with its status. */
function sendProblem(response: Response, problem: Problem, more?: Parameters<typeof problemPage>[1]): void {
  const { status, text } = problemPage(problem, more);
  response.status(status).send(text);
}

/**
 * Whether a form was sent from our own page. Browsers say so in Sec-Fetch-Site; those from before 2023 send only Origin. Every browser sends
 * Origin when another site's page submits a form, so a request with neither header does not come from a page. Sec-Fetch-Site is checked
 * first because Origin is `null` for our own page too, which sends no referrer (Fetch standard, 3.2).
 */
function isFromOwnPage(request: Request, ownOrigin: string): boolean {
  const site = request.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const origin = request.get('origin');
  return origin === undefined || origin === ownOrigin;
}

/** Whether a browser asks before a person does. Only the first of these headers is a standard; older browsers send the others. */
function isPrefetch(request: Request): boolean {
  const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].map((name) => request.get(name));
  return /prefetch|prerender|preview/i.test(purposes.join());
}

/** Returns the page about an attempt. */
function pageOf(shown: AttemptShown, serviceName: string): string {
  switch (shown.outcome) {
    case 'linked':
      return linkedPage({ ...shown, serviceName });
    case 'code':
      return codePage({ ...shown, serviceName });
    case 'working':
      return workingPage();
    case 'failed': {
      const said = shown.detail ?? undefined;
      const more = shown.fault === 'failure' ? { reference: said } : { detail: said };
      return problemPage(shown.fault, more).text;
    }
    case 'ended':
    case 'stray':
      return problemPage(shown.outcome).text;
  }
}
