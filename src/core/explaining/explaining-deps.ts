import type { ServiceClient } from '../../service/client.ts';
import type { Audit } from '../../store/tables/audit.ts';
import type { Lanes } from '../../store/tables/lanes.ts';
import type { Links } from '../../store/tables/links.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { Traces } from '../../store/tables/traces.ts';
import type { InTransaction } from '../access/in-transaction.ts';
import type { Bot } from '../bot.ts';
import type { ChannelsRoomDeps } from '../channels/channels-deps.ts';
import type { ResumeChannel } from '../channels/resume-channel.ts';
import type { Clock } from '../model/clock.ts';
import type { MayPost } from '../model/may-post.ts';
import type { ProfileOf } from '../model/people.ts';
import type { CallService } from '../upstream/call-service.ts';

/** What this room needs from outside. Its files take all of it, and name in addition what they need of each other. */
export type ExplainingRoomDeps = {
  readonly bot: Bot;
  readonly clock: Clock;
  readonly inTransaction: InTransaction;
  readonly lanes: Pick<Lanes, 'find'>;
  readonly links: Pick<Links, 'of'>;
  readonly subscriptions: Pick<Subscriptions, 'ofChannel' | 'ofWorkspace' | 'endedOfChannel' | 'byId'>;
  readonly traces: Traces;
  /** Returns who did something: to a subscription last, or what a message announced. */
  readonly audited: Pick<Audit, 'lastTo' | 'announcedBy'>;
  readonly service: Pick<ServiceClient, 'getSubscription'>;
  readonly callService: CallService;
  /** Syncs the link's remote subscriptions with what is stored. */
  readonly checkLink: (linkId: string) => Promise<unknown>;
  readonly profileOf: ProfileOf;
  readonly mayPost: MayPost;
  readonly botNameOf: ChannelsRoomDeps['botNameOf'];
  readonly resumeChannel: ResumeChannel;
  /** How many days events are kept. */
  readonly retentionDays: number;
  /** Without a trailing slash. */
  readonly publicUrl: string;
};
