import { ExpressReceiver } from '@slack/bolt';
import type { InstallationStore, StateStore } from '@slack/oauth';
import type { Logger, WebClientOptions } from '@slack/web-api';
import express, { type Application } from 'express';
import { refuseFuture } from './clock-check.ts';
import { optionalScopes, requiredScopes } from './scopes.ts';

const callbackPath = '/slack/oauth_redirect';

export type InstallOptions = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly installations: InstallationStore;
  readonly states: StateStore;
  readonly publicUrl: string;
  /** Slack's authorize page. */
  readonly authorizationUrl: string;
  readonly clientOptions: WebClientOptions;
};

export type ReceiverOptions = {
  readonly signingSecret: string;
  readonly logger: Logger;
  readonly now: () => Date;
  /** Null where a bot token of one workspace was set. */
  readonly install: InstallOptions | null;
};

/** Where Slack's requests come in: signed ones at `/slack/events`, and the pages that install the bot. */
export function makeReceiver({ signingSecret, logger, now, install }: ReceiverOptions): {
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
    ...(install ? installing(install) : {}),
  });
  return { receiver, app };
}

function installing({
  clientId,
  clientSecret,
  installations,
  states,
  publicUrl,
  authorizationUrl,
  clientOptions,
}: InstallOptions) {
  return {
    clientId,
    clientSecret,
    installationStore: installations,
    scopes: [...requiredScopes, ...optionalScopes],
    redirectUri: `${publicUrl}${callbackPath}`,
    installerOptions: {
      stateStore: states,
      redirectUriPath: callbackPath,
      directInstall: true,
      authorizationUrl,
      clientOptions,
    },
  };
}
