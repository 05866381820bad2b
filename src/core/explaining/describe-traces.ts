import type { TracedEvent, TracedThrough } from '../../messages/explaining/traced-event.ts';
import type { Trace } from '../../store/tables/traces.ts';
import { presentChanges } from '../access/present-changes.ts';
import type { Bot } from '../bot.ts';
import { recalledChange } from '../delivering/recall-changes.ts';
import type { Channel } from '../model/people.ts';

/** What is known about the events of a channel: their subscriptions by id, and what keeps it silent now. */
export type TraceFacts<Through extends TracedThrough = TracedThrough> = Pick<TracedEvent, 'silence'> & {
  readonly rows: ReadonlyMap<string, Through>;
};

/** Returns events with their outcomes, as the people of the channel are allowed to see them. */
export async function describeTraces(
  bot: Bot,
  channel: Channel,
  traces: readonly Trace[],
  { rows, silence }: TraceFacts,
): Promise<TracedEvent[]> {
  const changes = traces.map(({ notification, postedAs, receivedAt }) =>
    notification === null ? null : recalledChange({ notification, postedAs, receivedAt }, null),
  );
  const presented = await presentChanges(bot, channel, changes);
  return traces.map((trace, index) => {
    const { subscriptionId, duplicateOf } = trace;
    const other = duplicateOf === subscriptionId ? undefined : rows.get(duplicateOf ?? '');
    return {
      ...trace,
      change: presented[index] ?? null,
      through: rows.get(subscriptionId),
      duplicateOf: other?.subscribed ?? null,
      silence,
    };
  });
}
