import type { Log } from '../../lib/log.ts';
import type { Records } from '../../lib/records.ts';
import type { Copy } from '../../messages/text/copy.ts';
import type { ServiceClient } from '../../service/client.ts';
import type { Sealing } from '../../store/sealing/sealing.ts';
import type { DepartedRows } from '../../store/tables/departed-rows.ts';
import type { Departures } from '../../store/tables/departures.ts';
import type { Links } from '../../store/tables/links.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import type { AccessTokenFor } from '../linking/access-tokens.ts';
import type { Clock } from '../model/clock.ts';
import type { ProfileOf, Workspace } from '../model/people.ts';
import type { CallbackTokens } from '../receiving/callback-token.ts';
import type { DirectMessage, InstallationState } from '../slack.ts';

/** What this room needs from outside. */
export type UpstreamRoomDeps = {
  readonly bot: Bot;
  readonly clock: Clock;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly departedRows: DepartedRows;
  readonly departures: Departures;
  readonly links: Links;
  readonly subscriptions: Subscriptions;
  readonly service: ServiceClient;
  readonly accessTokenFor: AccessTokenFor;
  readonly tokens: CallbackTokens;
  readonly sealing: Sealing;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  readonly profileOf: ProfileOf;
  readonly directMessage: DirectMessage;
  /** Returns whether there is an installation, valid or not. */
  readonly isInstalled: (id: string) => Promise<boolean>;
  /** Returns whether an installation is newer than an event of this time, or its token still works. */
  readonly installationState: (id: string, leftAt: Date) => Promise<InstallationState>;
  /** Returns whether an organization gives its installation access to a workspace. */
  readonly access: (enterpriseId: string, teamId: string) => Promise<InstallationState>;
  /** Whether Slack says that the token for a workspace is gone for good. */
  readonly isRevoked: (workspace: Workspace) => Promise<boolean>;
  /** Since when Slack has said so at each check, in milliseconds since the epoch, by workspace. Lost if no check follows in time. */
  readonly refusedSince: Pick<Records<number>, 'get' | 'set' | 'delete'>;
  /** Deletes an installation and its token, unless it was made after `leftAt`. */
  readonly forgetInstallation: (id: string, leftAt: Date) => Promise<void>;
  readonly copy: Copy;
  readonly log: Log;
};
