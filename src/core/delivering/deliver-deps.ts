import type { Log } from '../../lib/log.ts';
import type { Activity, ActivityLook } from '../../messages/activity/activity.ts';
import type { Message } from '../../messages/text/message.ts';
import type { TurnMark } from '../../store/tables/turn-mark.ts';
import type { Bot } from '../bot.ts';
import type { PauseChannel } from '../channels/pause-channel.ts';
import type { Edit, LookUp, Post } from '../channels/post.ts';
import type { Clock } from '../model/clock.ts';
import type { PostAttempt } from '../model/lane-card.ts';
import type { Channel } from '../model/people.ts';
import type { ClaimedLane, DeliveryTables, TransactDelivery } from './delivery-tables.ts';
import type { GivenBackReason } from './end-turn.ts';
import type { PrepareTurn } from './prepare-turn.ts';
import type { TableRefusals } from './table-refusals.ts';
import type { Turn, TurnResult } from './turn.ts';

/** What the turns of lanes need. Each part of a turn picks what it uses. */
export type DeliverDeps = {
  readonly bot: Bot;
  readonly clock: Clock;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly tables: DeliveryTables;
  readonly transact: TransactDelivery;
  /** Stores the result of a turn; false if another process has claimed its lane. */
  readonly mark: (taken: Pick<ClaimedLane, 'lane' | 'fence'>, mark: TurnMark) => Promise<boolean>;
  /** Stores a post that is about to be made; false if another process has claimed the lane. */
  readonly noteAttempt: (
    taken: Pick<ClaimedLane, 'lane' | 'fence'>,
    attempt: PostAttempt,
  ) => Promise<boolean>;
  readonly post: Post;
  readonly edit: Edit;
  readonly lookUp: LookUp;
  readonly prepareTurn: PrepareTurn;
  readonly renderActivity: (activity: Activity) => Message;
  /** Returns what the menus of a channel's messages offer. */
  readonly offersIn: (lane: Channel) => ActivityLook['offers'];
  readonly tableRefusals: TableRefusals;
  readonly pauseChannel: PauseChannel;
  /** Ends a mute whose time is over, and releases what was held. */
  readonly endMute: (lane: Channel) => Promise<void>;
  /** Called for the metrics after each marked turn. */
  readonly noted?: ((turn: Turn, state: TurnResult['state'] | null, at: Date) => void) | undefined;
  /** Called for the metrics after each turn that was given back. */
  readonly givenBack?: ((reason: GivenBackReason) => void) | undefined;
  readonly log: Pick<Log, 'warn' | 'error'>;
};
