import type { ChangesSince } from '../../messages/explaining/recap.ts';
import * as exclusions from '../../store/tables/exclusions.ts';
import * as recapEvents from '../../store/tables/recap-events.ts';
import { isDiscreet } from '../access/shown-names.ts';
import type { Bot } from '../bot.ts';
import { prepareTurn } from '../delivering/prepare-turn.ts';
import { recallChanges } from '../delivering/recall-changes.ts';
import type { Change } from '../model/change.ts';
import { excludedOf, filterReasons } from '../model/filters.ts';
import type { Channel } from '../model/people.ts';

/** The most events that are looked at, the newest of a scope. */
const mostEvents = 5_000;

/** Returns what changed in a channel, as its people may see it. What waits is judged as if it were posted in a summary now. */
export async function changesSince(
  bot: Bot,
  channel: Channel,
  scope: recapEvents.RecapScope,
): Promise<ChangesSince> {
  const [events, filtered] = await Promise.all([
    recapEvents.list(bot.db, channel, scope, { limit: mostEvents }),
    recapEvents.countFiltered(bot.db, channel, scope),
  ]);
  const posted = events.filter(({ state }) => state === 'posted');
  const waiting = events.filter(({ state }) => state === 'pending');
  const [shown, held] = await Promise.all([
    recallChanges(bot, channel, posted),
    judged(bot, channel, waiting),
  ]);
  const numbers = new Map(events.map(({ seq }, index) => [seq, index]));
  const numberOf = ({ eventId }: Change): number => numbers.get(eventId ?? '') ?? 0;
  return {
    changes: [...shown, ...held.changes].toSorted((a, b) => numberOf(a) - numberOf(b)),
    waiting: held.changes.length,
    filtered: filtered + held.filtered,
    isCut:
      held.isCut ||
      posted.length === mostEvents ||
      waiting.length >= mostEvents ||
      events.some(({ isLast }) => isLast),
  };
}

/** Returns the changes that wait and would be posted, in order of acceptance, without the names of people. */
export async function waitingSince(
  bot: Bot,
  channel: Channel,
  scope: recapEvents.RecapScope,
): Promise<readonly Change[]> {
  const waiting = await recapEvents.list(bot.db, channel, scope, { limit: mostEvents, posted: false });
  return (await judged(withoutAsking(bot), channel, waiting)).changes;
}

/** Returns the same bot, but it asks Slack for no names, for where nobody reads them. */
export function withoutAsking(bot: Bot): Bot {
  const nameOf: Bot['slack']['nameOf'] = (workspace, email) => bot.slack.nameOf(workspace, email, false);
  return { ...bot, slack: { ...bot.slack, nameOf } };
}

async function judged(
  bot: Bot,
  channel: Channel,
  waiting: readonly recapEvents.RecapEvent[],
): Promise<Omit<ChangesSince, 'waiting'>> {
  if (waiting.length === 0) return { changes: [], filtered: 0, isCut: false };
  const { db, clock } = bot;
  const at = clock.now();
  const [excluded, discreet] = await Promise.all([
    exclusions.ofChannels(db, [channel]),
    isDiscreet(bot, channel),
  ]);
  const lane = { lane: channel, at, items: null, hasDuplicates: true, discreet, card: null, bytes: 0 };
  const { shown, others, more } = await prepareTurn(
    bot,
    { ...lane, excluded: excludedOf(excluded.map(({ subject }) => subject)) },
    waiting.map(({ subscription, ...event }) => ({
      ...event,
      summary: 'digest' as const,
      subscription: { ...subscription, pingedAt: null },
    })),
    at,
  );
  const isFiltered = ({ state, reason, idsOnly }: (typeof others)[number]) =>
    state === 'filtered' && filterReasons.some((known) => known === reason) && !idsOnly;
  const changes = shown.map(({ change }) => change);
  return { changes, filtered: others.filter(isFiltered).length, isCut: more };
}
