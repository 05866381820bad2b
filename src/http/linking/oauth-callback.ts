import { type Request, type Response, Router } from 'express';
import type { Bot } from '../../core/bot.ts';
import { type AttemptShown, finishLink, showAttempt } from '../../core/linking/prove-person.ts';
import { makeCookie, searchParamsOf } from '../browser.ts';
import { codePage, linkedPage, workingPage } from '../pages/link-pages.ts';
import { problemPage, reportFailure } from '../pages/problem-page.ts';
import { failurePage, sendProblem } from './link-routes.ts';

/** After how many seconds a browser asks again about an attempt that is being finished. */
const workingSeconds = 2;

/**
 * `/oauth/callback`, where the service sends the browser back, and `/linked`, which says how that went. The service's code must not be
 * visible to the person, so the callback redirects whatever happens. Mount at the root, after the security headers.
 */
export function oauthCallbackRoutes(bot: Bot): Router {
  const { publicUrl, copy } = bot.config;
  const cookie = makeCookie(publicUrl, 'link');
  const report = (error: unknown) => reportFailure(bot, error);
  const router = Router();

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
    sendShown(response, await showAttempt(bot, cookie.read(request)), copy.serviceName);
  });
  router.use(['/oauth/callback', '/linked'], failurePage(bot));
  return router;
}

/** Whether a browser asks before a person does. Only the first of these headers is a standard; older browsers send the others. */
function isPrefetch(request: Request): boolean {
  const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].map((name) => request.get(name));
  return /prefetch|prerender|preview/i.test(purposes.join());
}

/** Sends the page about an attempt. Its status is 200 even if the attempt failed, because proxies replace pages with other ones. */
function sendShown(response: Response, shown: AttemptShown, serviceName: string): void {
  switch (shown.outcome) {
    case 'linked':
      response.send(linkedPage({ ...shown, serviceName }));
      return;
    case 'code':
      response.send(codePage({ ...shown, serviceName }));
      return;
    case 'working':
      response.set('Refresh', String(workingSeconds)).send(workingPage());
      return;
    case 'failed': {
      const said = shown.detail ?? undefined;
      const more = shown.fault === 'failure' ? { reference: said } : { detail: said };
      response.send(problemPage(shown.fault, more).text);
      return;
    }
    case 'ended':
    case 'stray':
      response.send(problemPage(shown.outcome).text);
  }
}
