import type { Audit } from '../../store/tables/audit.ts';
import type { Events } from '../../store/tables/events.ts';
import type { FedSubscriptions } from '../../store/tables/fed-subscriptions.ts';
import type { Items } from '../../store/tables/items.ts';
import type { Lanes } from '../../store/tables/lanes.ts';
import type { Links } from '../../store/tables/links.ts';
import type { StoredSettings } from '../../store/tables/settings.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { Traces } from '../../store/tables/traces.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { InTransaction } from '../access/in-transaction.ts';
import type { Bot } from '../bot.ts';
import type { ChannelsRoomDeps } from '../channels/channels-deps.ts';
import type { ChannelsRoom } from '../channels/channels-room.ts';
import type { PauseSubscription } from '../channels/pause-subscription.ts';
import type { Clock } from '../model/clock.ts';
import type { Link } from '../model/link.ts';
import type { MayPost } from '../model/may-post.ts';
import type { EmailsOf, ProfileOf } from '../model/people.ts';
import type { SubscribeRequest } from '../model/request.ts';
import type { Verb } from '../model/verbs.ts';
import type { ChannelsOf, IsInChannel, OpenForm, PublicChannelsOf, UpdateForm } from '../slack.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** What this room uses of others. */
type SubscribingRoomUses = Pick<ChannelsRoom, 'replyIfClosed' | 'requirePostable'>;

/** What this room needs from outside. Its files take all of it, and name in addition what they need of each other. */
export type SubscribingRoomDeps = SubscribingRoomUses & {
  readonly bot: Bot;
  readonly clock: Clock;
  readonly inTransaction: InTransaction;
  readonly audited: Pick<Audit, 'lastTo'>;
  readonly events: Pick<Events, 'recentOf'>;
  readonly fed: Pick<FedSubscriptions, 'ofPersonIn'>;
  readonly items: Pick<Items, 'load'>;
  readonly lanes: Pick<Lanes, 'mutedUntil'>;
  readonly links: Pick<Links, 'of'>;
  readonly settings: Pick<StoredSettings, 'of'>;
  readonly subscriptions: Subscriptions;
  readonly traces: Pick<Traces, 'unmatched'>;
  readonly upstream: Upstream;
  /** Checks a link soon: a remote subscription may have been created although the request failed. */
  readonly checkSoon: (linkId: string) => void;
  readonly profileOf: ProfileOf;
  readonly emailsOf: EmailsOf;
  readonly channelsOf: ChannelsOf;
  readonly publicChannelsOf: PublicChannelsOf;
  readonly isInChannel: IsInChannel;
  /** Slack's answer, cached for at most half a minute: the form asks with every change of a field. */
  readonly recentlyMayPost: MayPost;
  readonly botNameOf: ChannelsRoomDeps['botNameOf'];
  /** Returns the person's link. If it does not work, throws a `Refusal` that offers a new one and carries the request. */
  readonly requireLink: (context: CommandContext, request: SubscribeRequest) => Promise<Link>;
  /** Checks whether people of other organizations are in the channel, and announces what that changes. */
  readonly sharedChannel: Pick<ChannelsRoom['sharedChannel'], 'look' | 'announceOnce'>;
  /** Ends a pause that a person set, and announces it in the channel. */
  readonly resume: PauseSubscription['resume'];
  /** Whether an error means that tokens are sealed with a key that this process does not have yet. */
  readonly isKeyMissing: (error: unknown) => boolean;
  readonly openForm: OpenForm;
  /** Opens a form on top of the current one. */
  readonly pushForm: OpenForm;
  readonly updateForm: UpdateForm;
  readonly showHelp: (context: CommandContext, topic: Verb) => Promise<void>;
  /** Without a trailing slash. */
  readonly publicUrl: string;
};
