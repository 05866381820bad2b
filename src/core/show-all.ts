import { showAllGone, showAllView } from '../messages/show-all.ts';
import type { Events } from '../store/events.ts';
import type { Asked } from './asked.ts';
import type { Change } from './change.ts';
import { itemKey, type Remembered, rememberedAfter, whatChanged } from './what-changed.ts';

/** The form with every change of a message. `page` counts from 0. */
export type ShowAll = (
  asked: Asked,
  message: { readonly messageTs: string; readonly page: number },
) => Promise<ReturnType<typeof showAllView>>;

/** Lists what a message of the asking person's own channel told, by name. */
export function makeShowAll({ events }: { readonly events: Pick<Events, 'ofMessage'> }): ShowAll {
  return async ({ person, channelId }, { messageTs, page }) => {
    const channel = { enterpriseId: person.enterpriseId, teamId: person.teamId, channelId };
    const told = await events.ofMessage(channel, messageTs);
    const remembered = new Map<string, Remembered | null>();
    const changes: Change[] = [];
    for (const { notification, receivedAt } of told) {
      const key = itemKey(notification) ?? notification.id;
      const before = remembered.get(key) ?? null;
      remembered.set(key, rememberedAfter(notification, before));
      const happenedAt = new Date(notification.happenedAt ?? receivedAt);
      const parent = notification.projectId ?? notification.sessionId;
      const kind = notification.projectId === null ? ('session' as const) : ('project' as const);
      const within = parent === null ? null : { kind, id: parent, name: null };
      changes.push({ ...whatChanged(notification, before, within), happenedAt });
    }
    if (changes.length === 0) return showAllGone();
    return showAllView({ changes, page, metadata: JSON.stringify({ channelId, messageTs }) });
  };
}
