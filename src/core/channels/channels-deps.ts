import type { Log } from '../../lib/log.ts';
import type { Copy } from '../../messages/text/copy.ts';
import type { ChannelMoves } from '../../store/tables/channel-moves.ts';
import type { Channels } from '../../store/tables/channels.ts';
import type { Exclusions } from '../../store/tables/exclusions.ts';
import type { FedSubscriptions } from '../../store/tables/fed-subscriptions.ts';
import type { Lanes } from '../../store/tables/lanes.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { InTransaction } from '../access/in-transaction.ts';
import type { Bot } from '../bot.ts';
import type { Clock } from '../model/clock.ts';
import type { MayPost } from '../model/may-post.ts';
import type { Channel, ProfileOf, SlackPerson, Workspace } from '../model/people.ts';
import type { DirectMessage, IsInChannel } from '../slack.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** What this room needs from outside. Its files take all of it, and name in addition what they need of each other. */
export type ChannelsRoomDeps = {
  readonly bot: Bot;
  readonly clock: Clock;
  readonly inTransaction: InTransaction;
  readonly channelMoves: ChannelMoves;
  readonly channels: Pick<Channels, 'of' | 'noteLook' | 'noteAnswer' | 'notLookedAt'>;
  readonly exclusions: Pick<Exclusions, 'countIn'>;
  readonly fed: Pick<FedSubscriptions, 'countIn' | 'orphaned' | 'ofPersonIn' | 'notLookedAt' | 'noteLook'>;
  readonly lanes: Pick<Lanes, 'find' | 'mutedUntil'>;
  readonly subscriptions: Pick<Subscriptions, 'pausedWithoutLink' | 'channelsPausedFor'>;
  readonly upstream: Pick<Upstream, 'release'>;
  readonly enqueue: (lane: Channel) => Promise<void>;
  /** Records that an organization has given the bot access to workspaces again. */
  readonly noteAccess: (workspaces: readonly Workspace[], at: Date) => Promise<void>;
  readonly profileOf: ProfileOf;
  readonly isInChannel: IsInChannel;
  readonly mayPost: MayPost;
  /** Whether a channel has people from other organizations. Throws if Slack does not say. */
  readonly isShared: (channel: Channel) => Promise<boolean>;
  /** Whether Slack serves the bot in a workspace, as far as that can be checked without posting. */
  readonly isServed: (workspace: Workspace) => Promise<boolean>;
  /** The bot's name in Slack, for `/invite`. */
  readonly botNameOf: (workspace: Workspace) => Promise<string>;
  readonly directMessage: DirectMessage;
  readonly refreshHome: (person: SlackPerson) => Promise<void>;
  readonly copy: Copy;
  readonly log: Log;
};
