import { cannotPost } from '../../messages/subscribing/refusals.ts';
import type { Channels } from '../../store/tables/channels.ts';
import { channelOf } from '../access/channel-of.ts';
import type { CommandContext } from '../access/command-context.ts';
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

/** Whether the bot can post in the channel that was asked in; if not, the person gets a reply that says why. */
export type RequirePostable = (context: CommandContext) => Promise<boolean>;

export function makeRequirePostable(deps: RequirePostableDeps): RequirePostable {
  return async (context) => {
    const channel = channelOf(context);
    const why = await deps.mayPost(channel);
    if (why === 'yes') {
      // An event that said otherwise was the last that came, not the last that happened.
      if (closedFor(await deps.channels.of(channel)) !== null) await deps.resumeChannel(channel, 'seen');
      return true;
    }
    await context.reply(cannotPost({ why, botName: await deps.botNameOf(context.person) }));
    return false;
  };
}
