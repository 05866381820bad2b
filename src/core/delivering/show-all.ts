import { showAllGone, showAllView } from '../../messages/activity/show-all.ts';
import type { Events } from '../../store/tables/events.ts';
import { channelOf } from '../access/channel-of.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { Workspace } from '../model/people.ts';
import type { WorkspaceSettings } from '../model/settings.ts';
import type { RecallChanges } from './recall-changes.ts';

/** The form with every change of a message. `page` counts from 0. */
export type ShowAll = (
  context: CommandContext,
  message: { readonly messageTs: string; readonly page: number },
) => Promise<ReturnType<typeof showAllView>>;

export type ShowAllDeps = {
  readonly events: Pick<Events, 'ofMessage'>;
  readonly recallChanges: RecallChanges;
  readonly settingsOf: (workspace: Workspace) => Promise<Pick<WorkspaceSettings, 'signs'>>;
};

/** Lists what a message of the asking person's own channel shows, by name. */
export function makeShowAll({ events, recallChanges, settingsOf }: ShowAllDeps): ShowAll {
  return async (context, { messageTs, page }) => {
    const channel = channelOf(context);
    const [posted, { signs }] = await Promise.all([
      events.ofMessage(channel, messageTs),
      settingsOf(channel),
    ]);
    const changes = await recallChanges(channel, posted);
    if (changes.length === 0) return showAllGone();
    const metadata = JSON.stringify({ channelId: channel.channelId, messageTs });
    return showAllView({ changes, page, metadata, signed: signs });
  };
}
