import type { RequestHandler } from 'express';

/** How far a request's signed timestamp may be from our clock, either way. Slack recommends five minutes. */
const toleranceSeconds = 300;

/** Rejects requests with a timestamp in the future, which Bolt accepts (seen in 5.1.0, one hour ahead). Bolt rejects old ones itself. */
export function refuseFuture({ now }: { readonly now: () => Date }): RequestHandler {
  return (request, response, next) => {
    const seconds = Number(request.headers['x-slack-request-timestamp']);
    if (seconds - now().getTime() / 1_000 > toleranceSeconds) {
      response.status(401).send();
      return;
    }
    next();
  };
}
