import { cannotPost } from '../../messages/subscribing/refusals.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { Refusal } from '../access/refusal.ts';
import type { Channel } from '../model/people.ts';
import type { ChannelsRoomDeps } from './channels-deps.ts';
import { closedFor } from './close-channel.ts';
import type { ResumeChannel } from './resume-channel.ts';

type RequirePostableDeps = ChannelsRoomDeps & { readonly resumeChannel: ResumeChannel };

/** Throws a `Refusal` unless the bot can post in the channel of the request. */
type RequirePostable = (context: CommandContext) => Promise<void>;

export function makeRequirePostable(deps: RequirePostableDeps): RequirePostable {
  return async (context) => {
    const channel = channelOf(context);
    const why = await deps.mayPost(channel);
    if (why === 'yes') {
      if (await isClosed(channel)) await deps.resumeChannel(channel, 'seen');
      return;
    }
    throw new Refusal(context, cannotPost({ why, botName: await deps.botNameOf(context.person) }));
  };

  /**
   * Whether a channel is stored as closed although Slack would let the bot post. The last event that arrived may not be the last that
   * happened. And `mayPost` does not know every reason why Slack refuses posts; only another try shows whether they are allowed again.
   */
  async function isClosed(channel: Channel): Promise<boolean> {
    const [state, lane] = await Promise.all([deps.channels.of(channel), deps.lanes.find(channel)]);
    return closedFor(state) !== null || (lane !== null && lane.pausedReason !== null);
  }
}
