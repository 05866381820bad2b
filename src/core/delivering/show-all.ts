import { showAllGone, showAllView } from '../../messages/activity/show-all.ts';
import type { Events } from '../../store/tables/events.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { RecallChanges } from './recall-changes.ts';

/** The form with every change of a message. `page` counts from 0. */
export type ShowAll = (
  context: CommandContext,
  message: { readonly messageTs: string; readonly page: number },
) => Promise<ReturnType<typeof showAllView>>;

export type ShowAllDeps = {
  readonly events: Pick<Events, 'ofMessage'>;
  readonly recallChanges: RecallChanges;
};

/** Lists what a message of the asking person's own channel shows, by name. */
export function makeShowAll({ events, recallChanges }: ShowAllDeps): ShowAll {
  return async ({ person, channelId }, { messageTs, page }) => {
    const channel = { enterpriseId: person.enterpriseId, teamId: person.teamId, channelId };
    const changes = await recallChanges(channel, await events.ofMessage(channel, messageTs));
    if (changes.length === 0) return showAllGone();
    return showAllView({ changes, page, metadata: JSON.stringify({ channelId, messageTs }) });
  };
}
