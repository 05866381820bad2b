import { ExpressReceiver } from '@slack/bolt';
import type { Logger } from '@slack/web-api';
import express, { type Application, type RequestHandler } from 'express';
import { refuseFuture } from './clock-check.ts';

export type ReceiverOptions = {
  readonly signingSecret: string;
  readonly logger: Logger;
  readonly now: () => Date;
  /** Sees each request before it is judged. */
  readonly watch: RequestHandler;
};

/** Where Slack's signed requests come in, at `/slack/events`. Their bodies are read, and limited, before. */
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
    // An event is acknowledged after it was handled, so that Slack sends it again if this process ends in between. Commands and
    // clicks are acknowledged at once and handled afterwards.
    processBeforeResponse: true,
  });
  return { receiver, app };
}
