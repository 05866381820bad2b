import { ExpressReceiver } from '@slack/bolt';
import type { Logger } from '@slack/web-api';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Clock } from '../lib/durations.ts';

export type ReceiverOptions = {
  readonly signingSecret: string;
  readonly logger: Logger;
  /** Middleware that runs before Bolt checks a request's signature. */
  readonly watch: RequestHandler;
  /** Handles the signed requests; Bolt's app does so by default. */
  readonly reply?: ((request: Request, response: Response) => Promise<void>) | undefined;
};

/** The types of requests that the bot handles. A command has none. */
const handledTypes: ReadonlySet<unknown> = new Set([
  undefined,
  'event_callback',
  'block_actions',
  'block_suggestion',
  'message_action',
  'shortcut',
  'view_submission',
]);

/**
 * Makes the receiver of Slack's signed requests at `/slack/events`. Their bodies have already been read and limited in size. What Slack sends
 * besides what the bot handles, such as `app_rate_limited`, is answered at once: Bolt answers 404 after three seconds (seen in 5.1.0), so that
 * Slack sends it again.
 */
export function makeReceiver(clock: Clock, { signingSecret, logger, watch, reply }: ReceiverOptions) {
  const app = express();
  app.disable('x-powered-by');
  app.use('/slack/events', watch, refuseFuture(clock));

  class SignedReceiver extends ExpressReceiver {
    /** Called for requests with a valid signature. */
    override async requestHandler(request: Request, response: Response): Promise<void> {
      response.locals.isSigned = true;
      if (!handledTypes.has(request.body?.type)) response.status(200).send();
      else await (reply ? reply(request, response) : super.requestHandler(request, response));
    }
  }
  // Acknowledge an event only after handling it, so that Slack sends it again if this process dies in between. Commands and clicks are
  // acknowledged at once and handled afterward.
  const receiver = new SignedReceiver({ signingSecret, logger, app, processBeforeResponse: true });
  return { receiver, app };
}

/** How far a request's signed timestamp may be from our clock, either way. Slack recommends five minutes. */
const toleranceSeconds = 300;

/** Rejects requests with a timestamp in the future, which Bolt accepts (seen in 5.1.0, one hour ahead). Bolt rejects old ones itself. */
function refuseFuture(clock: Clock): RequestHandler {
  return (request, response, next) => {
    const seconds = Number(request.headers['x-slack-request-timestamp']);
    if (seconds - clock.now().getTime() / 1_000 > toleranceSeconds) {
      response.status(401).send();
      return;
    }
    next();
  };
}
