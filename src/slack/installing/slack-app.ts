import type { WebClientOptions } from '@slack/web-api';
import type { Log } from '../../lib/log.ts';
import type { Installations } from './installations.ts';

/** The Slack app, with which admins install the bot in any number of workspaces and organizations. */
export type SlackApp = Installations & {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /** Slack's page that asks an admin to approve the installation. */
  readonly authorizationUrl: string;
  /** Whether an admin is asked to let the bot preview links. */
  readonly previews: boolean;
  readonly clientOptions: WebClientOptions;
  /** Signs states; the same in all processes. */
  readonly stateKey: Uint8Array;
  /** Claims an id; false if it was already claimed. Atomic across all processes. */
  readonly takeId: (id: string, now: Date) => Promise<boolean>;
  readonly log: Pick<Log, 'info' | 'warn'>;
};
