import { ExpressReceiver } from '@slack/bolt';
import type { Logger } from '@slack/web-api';
import express, { type Application } from 'express';
import { refuseFuture } from './clock-check.ts';

export type ReceiverOptions = {
  readonly signingSecret: string;
  readonly logger: Logger;
  readonly now: () => Date;
};

/** Where Slack's signed requests come in, at `/slack/events`. Their bodies are read, and limited, before. */
export function makeReceiver({ signingSecret, logger, now }: ReceiverOptions): {
  receiver: ExpressReceiver;
  app: Application;
} {
  const app = express();
  app.disable('x-powered-by');
  app.use('/slack/events', refuseFuture({ now }));
  const receiver = new ExpressReceiver({
    signingSecret,
    logger,
    app,
    // What Slack tells is answered once it has been done, so that it is told again if this process ends in between. Commands and
    // clicks are acknowledged at once, and worked on afterwards.
    processBeforeResponse: true,
  });
  return { receiver, app };
}
