import { ExpressReceiver, type ExpressReceiverOptions } from '@slack/bolt';
import type { Logger } from '@slack/web-api';
import express, { type Application, type Request, type RequestHandler, type Response } from 'express';
import type { Log } from '../lib/log.ts';
import { checkBody } from './check-body.ts';

type ReceiverOptions = {
  readonly signingSecret: string;
  readonly logger: Logger;
  readonly now: () => Date;
  /** Middleware that runs before Bolt checks a request's signature. */
  readonly watch: RequestHandler;
  /** Handles the requests that are signed and readable; Bolt's app does so by default. */
  readonly reply?: ((request: Request, response: Response) => Promise<void>) | undefined;
  readonly log: Pick<Log, 'warn'>;
};

/** Makes the receiver of Slack's signed requests at `/slack/events`. Their bodies have already been read and limited in size. */
export function makeReceiver({ signingSecret, logger, now, watch, reply, log }: ReceiverOptions): {
  receiver: ExpressReceiver;
  app: Application;
} {
  const app = express();
  app.disable('x-powered-by');
  app.use('/slack/events', watch, refuseFuture({ now }));
  const receiver = new CheckingReceiver(
    {
      signingSecret,
      logger,
      app,
      // Acknowledge an event only after handling it, so that Slack sends it again if this process dies in between. Commands and
      // clicks are acknowledged at once and handled afterward.
      processBeforeResponse: true,
    },
    { log, reply },
  );
  return { receiver, app };
}

/**
 * Checks the bodies of signed requests before Bolt handles them. Bolt answers 500 to one that it cannot read, and to one of an unknown
 * type nothing for three seconds and then 404 (seen in 5.1.0).
 */
class CheckingReceiver extends ExpressReceiver {
  readonly #own: Pick<ReceiverOptions, 'log' | 'reply'>;

  constructor(options: ExpressReceiverOptions, own: Pick<ReceiverOptions, 'log' | 'reply'>) {
    super(options);
    this.#own = own;
  }

  /** Called for requests with a valid signature. */
  override async requestHandler(request: Request, response: Response): Promise<void> {
    const { log, reply } = this.#own;
    response.locals.isSigned = true;
    const check = checkBody(request.body);
    switch (check.kind) {
      case 'readable':
        return reply ? reply(request, response) : super.requestHandler(request, response);
      case 'unknown type':
        // Nothing is wrong with it, and asking for it again would not help.
        log.warn({ request: check.type }, 'ignored a request from Slack of an unknown type');
        response.status(200).send();
        return;
      case 'unreadable':
        log.warn({ cause: check.cause }, 'refused a request that Slack signed but that cannot be read');
        // Slack sends an event again after any other answer than 2xx, unless this header forbids it.
        response.set('x-slack-no-retry', '1').status(400).send();
    }
  }
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
