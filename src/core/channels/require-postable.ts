import { cannotPost } from '../../messages/subscribing/refusals.ts';
import type { Channels } from '../../store/tables/channels.ts';
import { channelOf } from '../access/channel-of.ts';
import type { CommandContext } from '../access/command-context.ts';
import { Refusal } from '../access/refusal.ts';
import type { MayPost } from '../model/may-post.ts';
import type { Workspace } from '../model/people.ts';
import { closedFor } from './close-channel.ts';
import type { ResumeChannel } from './resume-channel.ts';

export type RequirePostableDeps = {
  readonly mayPost: MayPost;
  readonly channels: Pick<Channels, 'of'>;
  readonly resumeChannel: ResumeChannel;
  /** The bot's name in Slack, for `/invite`. */
  readonly botNameOf: (workspace: Workspace) => Promise<string>;
};

/** Throws a `Refusal` unless the bot can post in the channel of the request. */
export type RequirePostable = (context: CommandContext) => Promise<void>;

export function makeRequirePostable(deps: RequirePostableDeps): RequirePostable {
  return async (context) => {
    const channel = channelOf(context);
    const why = await deps.mayPost(channel);
    if (why === 'yes') {
      // The event that closed the channel arrived last, but was not the last to happen.
      if (closedFor(await deps.channels.of(channel)) !== null) await deps.resumeChannel(channel, 'seen');
      return;
    }
    throw new Refusal(context, cannotPost({ why, botName: await deps.botNameOf(context.person) }));
  };
}
