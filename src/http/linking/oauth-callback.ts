import { type Response, Router } from 'express';
import type { FinishFault, FinishLink, LinkFinished } from '../../core/linking/finish-link.ts';
import { makeCookie } from '../cookie.ts';
import { codePage, linkedPage, questionPage } from '../pages/link-pages.ts';
import type { ReportFailure } from '../report-failure.ts';
import { searchParamsOf } from '../search-params.ts';
import { failurePage, sendProblem } from './link-routes.ts';

type OAuthCallbackDeps = {
  readonly finishLink: FinishLink;
  readonly publicUrl: string;
  readonly serviceName: string;
  readonly reportFailure: ReportFailure;
};

/** `/oauth/callback`: where the service sends the browser back. Mount at the root, after the security headers. */
export function oauthCallbackRoutes(deps: OAuthCallbackDeps): Router {
  const cookie = makeCookie(deps.publicUrl, 'link');
  const router = Router();

  router
    .route('/oauth/callback')
    // Express would answer HEAD with the GET handler below, and a HEAD must not use up the state.
    .head((_request, response) => {
      response.set('Allow', 'GET').status(405).end();
    })
    .get(async (request, response) => {
      if (request.get('sec-purpose')?.includes('prefetch')) {
        // Browsers discard this response to a prefetch and ask again when a person opens the page.
        response.status(503).end();
        return;
      }
      const searchParams = searchParamsOf(request);
      const finished = await deps.finishLink({ searchParams, cookie: cookie.read(request) });
      if (hasUsedCookie(finished)) cookie.clear(response);
      sendFinished(response, finished, deps.serviceName);
    })
    .all((_request, response) => {
      response.set('Allow', 'GET');
      sendProblem(response, 'method');
    });
  router.use('/oauth/callback', failurePage(deps.reportFailure));
  return router;
}

/** Callbacks that do not belong to the attempt of the browser's cookie, so that attempt may still be running. */
const ofOtherAttempts: ReadonlySet<FinishFault> = new Set([
  'malformed',
  'unknown-answer',
  'expired',
  'used',
  'other-browser',
]);

function hasUsedCookie(finished: LinkFinished): boolean {
  return finished.outcome !== 'refused' || !ofOtherAttempts.has(finished.fault);
}

function sendFinished(response: Response, finished: LinkFinished, serviceName: string): void {
  switch (finished.outcome) {
    case 'linked':
      response.send(linkedPage({ ...finished, serviceName }));
      return;
    case 'question':
      response.send(questionPage({ ...finished, serviceName }));
      return;
    case 'code':
      response.send(codePage({ ...finished, serviceName }));
      return;
    case 'refused':
      sendProblem(response, finished.fault, finished.detail);
  }
}
