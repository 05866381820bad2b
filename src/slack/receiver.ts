import { ExpressReceiver } from '@slack/bolt';
import type { Logger } from '@slack/web-api';
import express, { type Application, type RequestHandler } from 'express';

type ReceiverOptions = {
  readonly signingSecret: string;
  readonly logger: Logger;
  readonly now: () => Date;
  /** Middleware that runs before Bolt checks a request's signature. */
  readonly watch: RequestHandler;
};

/** Makes the receiver of Slack's signed requests at `/slack/events`. Their bodies have already been read and limited in size. */
export function makeReceiver({ signingSecret, logger, now, watch }: ReceiverOptions): {
  receiver: ExpressReceiver;
  app: Application;
} {
  const app = express();
  app.disable('x-powered-by');
  app.use('/slack/events', watch, refuseFuture({ now }));
  const receiver = new ExpressReceiver({
    signingSecret,
    logger,
    app,
    // Acknowledge an event only after handling it, so that Slack sends it again if this process dies in between. Commands and
    // clicks are acknowledged at once and handled afterward.
    processBeforeResponse: true,
  });
  return { receiver, app };
}

/** How far a request's signed timestamp may be from our clock, either way. Slack recommends five minutes. */
const toleranceSeconds = 300;

/** Rejects requests with a timestamp in the future, which Bolt accepts (seen in 5.1.0, one hour ahead). Bolt rejects old ones itself. */
function refuseFuture({ now }: { readonly now: () => Date }): RequestHandler {
  return (request, response, next) => {
    const seconds = Number(request.headers['x-slack-request-timestamp']);
    if (seconds - now().getTime() / 1_000 > toleranceSeconds) {
      response.status(401).send();
      return;
    }
    next();
  };
}
