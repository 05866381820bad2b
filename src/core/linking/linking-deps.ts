import type { Records } from '../../lib/records.ts';
import type { Copy } from '../../messages/text/copy.ts';
import type { Message } from '../../messages/text/message.ts';
import type { ServiceOAuth } from '../../service/oauth.ts';
import type { LinkAttempts } from '../../store/tables/link-attempts.ts';
import type { Links } from '../../store/tables/links.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { InTransaction } from '../access/in-transaction.ts';
import type { Clock } from '../model/clock.ts';
import type { ProfileOf, SlackPerson, Workspace } from '../model/people.ts';
import type { DirectMessage } from '../slack.ts';
import type { RandomBytes } from './secrets.ts';

export type RefreshResult = 'refreshed' | 'relink' | 'failed';

/** What this room needs from outside. Its files take all of it, and name in addition what they need of each other. */
export type LinkingRoomDeps = {
  readonly inTransaction: InTransaction;
  readonly links: Omit<Links, 'write' | 'remove'>;
  readonly attempts: Omit<LinkAttempts, 'finish'>;
  readonly oauth: ServiceOAuth;
  readonly profileOf: ProfileOf;
  /** Returns the profile of a few seconds ago at most: it decides whether the person may link, and to which address. */
  readonly currentProfileOf: ProfileOf;
  /** Returns the workspace's name; throws if Slack cannot be asked. */
  readonly workspaceNameOf: (workspace: Workspace) => Promise<string>;
  readonly directMessage: DirectMessage;
  /** The `response_url` of a person's last click on Link. It is a secret: stored sealed, and only as long as Slack accepts it. */
  readonly pressedOffers: Pick<Records<string>, 'get' | 'set' | 'delete'>;
  /** Throws if Slack no longer accepts the URL. */
  readonly answer: (responseUrl: string, message: Message, options: { replace: true }) => Promise<void>;
  readonly subscriptions: Pick<Subscriptions, 'ofOwner'>;
  readonly copy: Copy;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Returns a signal that aborts after this many milliseconds: `AbortSignal.timeout` in production. */
  readonly signalAfter: (milliseconds: number) => AbortSignal;
  /** Logs a failure that must not undo what was done. */
  readonly noteFailure: (what: string, error: unknown, person?: SlackPerson) => void;
  /** Counts the result of each refresh. */
  readonly countRefresh: (result: RefreshResult) => void;
};
