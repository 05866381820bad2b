import type { Channel } from '../model/people.ts';
import type { AccessRoomDeps } from './access-deps.ts';
import { type CommandContext, channelOf } from './command-context.ts';

/**
 * Finds the workspace under which a channel is stored. Workspaces of one organization can share a channel, and Slack names that of the
 * person who acts. With one installation for all of them it is one channel, with one list and one delivery queue.
 */
export function makeHomeWorkspace({ firstTeamOf, isInstalled }: AccessRoomDeps) {
  async function homeOf(channel: Channel): Promise<Channel> {
    const { enterpriseId, teamId, channelId } = channel;
    if (enterpriseId === null || channelId === '') return channel;
    const first = await firstTeamOf(enterpriseId, channelId);
    if (first === null || first === teamId) return channel;
    const areApart = (await isInstalled(teamId)) || (await isInstalled(first));
    return areApart ? channel : { ...channel, teamId: first };
  }

  return {
    homeOf,

    /** Returns the context in which a request about a channel takes effect. */
    async atHome(context: CommandContext): Promise<CommandContext> {
      const { teamId } = await homeOf(channelOf(context));
      return teamId === context.person.teamId
        ? context
        : { ...context, person: { ...context.person, teamId } };
    },
  };
}
