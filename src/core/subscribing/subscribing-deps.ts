import type { Events } from '../../store/tables/events.ts';
import type { StoredSettings } from '../../store/tables/settings.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import type { ChannelsRoomDeps } from '../channels/channels-deps.ts';
import type { ChannelsRoom } from '../channels/channels-room.ts';
import type { Clock } from '../model/clock.ts';
import type { MayPost } from '../model/may-post.ts';
import type { EmailsOf, ProfileOf } from '../model/people.ts';
import type { Verb } from '../model/verbs.ts';
import type { ChannelsOf, IsInChannel, OpenForm, UpdateForm } from '../slack.ts';

/** What the form needs from outside. */
export type SubscribingRoomDeps = Pick<ChannelsRoom, 'requirePostable'> & {
  readonly bot: Bot;
  readonly clock: Clock;
  readonly events: Pick<Events, 'recentOf'>;
  readonly settings: Pick<StoredSettings, 'of'>;
  readonly subscriptions: Pick<Subscriptions, 'ofTarget' | 'ofWorkspace'>;
  readonly profileOf: ProfileOf;
  readonly emailsOf: EmailsOf;
  readonly channelsOf: ChannelsOf;
  readonly isInChannel: IsInChannel;
  /** Slack's answer, cached for at most half a minute: the form asks with every change of a field. */
  readonly recentlyMayPost: MayPost;
  readonly botNameOf: ChannelsRoomDeps['botNameOf'];
  readonly openForm: OpenForm;
  /** Opens a form on top of the current one. */
  readonly pushForm: OpenForm;
  readonly updateForm: UpdateForm;
  readonly showHelp: (context: CommandContext, topic: Verb) => Promise<void>;
};
