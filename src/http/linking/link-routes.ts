import { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import type { Bot } from '../../core/bot.ts';
import { burnTicket, sendNewLink, showTicket } from '../../core/linking/tickets.ts';
import { makeCookie, searchParamsOf } from '../browser.ts';
import { askPage, newLinkPage } from '../pages/link-pages.ts';
import { type Problem, problemPage, reportFailure } from '../pages/problem-page.ts';

/**
 * `/link/{ticket}`: the page that asks for confirmation, and its form; for a ticket that no longer works, a form that sends a new link in
 * Slack. Mount at the root, after the security headers.
 * @param scopes what the page says that the bot asks for
 */
export function linkRoutes(bot: Bot, scopes: readonly string[]): Router {
  const { publicUrl, copy } = bot.config;
  const cookie = makeCookie(publicUrl, 'link');
  const ownOrigin = new URL(publicUrl).origin;
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
  router.use('/link', failurePage(bot));
  return router;
}

/** Sends the page for a problem, with its status. */
export function sendProblem(response: Response, problem: Problem): void {
  const { status, text } = problemPage(problem);
  response.status(status).send(text);
}

/** Answers an error with a page. */
export function failurePage(bot: Bot): ErrorRequestHandler {
  return (error, _request, response, next) => {
    // Express cannot decode `/link/%`, so there is no such page.
    if (error instanceof URIError && !response.headersSent) return sendProblem(response, 'unknown');
    const reference = reportFailure(bot, error);
    if (response.headersSent) {
      next(error);
      return;
    }
    const { status, text } = problemPage('failure', { reference });
    response.status(status).send(text);
  };
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
