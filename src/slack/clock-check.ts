import type { RequestHandler } from 'express';

/** Slack signs the time along; it is believed for five minutes either way. */
const toleranceSeconds = 300;

/** Refuses requests from the future, which Bolt lets pass (seen in 5.1.0, one hour ahead); those from the past it refuses itself. */
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
