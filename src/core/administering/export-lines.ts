import { isDeepStrictEqual } from 'node:util';
import { channelsUnknown, exportedLines, nothingToExport } from '../../messages/admin/imports.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as workspaceSubscriptions from '../../store/workspace-subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import { homesOf } from '../access/place.ts';
import { isDiscreet, namesIn } from '../access/shown-names.ts';
import type { Bot } from '../bot.ts';
import { noWorkspaceFilter } from '../model/any-request.ts';
import { someone } from '../model/change.ts';
import { typedLine } from '../model/format-request.ts';
import { shortPattern } from '../model/patterns.ts';
import type { PersonName } from '../model/subscription.ts';
import { requestOf } from '../model/typed-settings.ts';
import type { CommandNames } from '../model/verbs.ts';

/** At most 12,000 characters in all. Each part is as long as the field of the import form accepts, and can be imported by itself. */
const mostParts = 4;
const longestPart = 2_950;

/** `/plancast export`: shows the subscriptions of the person's channels as lines, each below its channel, those of this channel first. */
export async function exportLines(bot: Bot, context: CommandContext): Promise<void> {
  const { person, channelId: here } = context;
  const names = await bot.slack.channelNamesOf(person);
  if (names === null) return context.reply(channelsUnknown);
  const homes = Map.groupBy(await homesOf(bot, person, [...names.keys()]), ({ teamId }) => teamId);
  const lists = [...homes].map(([teamId, channels]) =>
    workspaceSubscriptions.list(bot.db, { ...person, teamId }, noWorkspaceFilter, {
      channelIds: channels.map(({ channelId }) => channelId),
    }),
  );
  const stored = (await Promise.all(lists)).flat();
  if (stored.length === 0) return context.reply(nothingToExport);
  const rows = await Promise.all(stored.map((row) => asShown(bot, row)));
  const byChannel = [...Map.groupBy(rows, ({ channelId }) => channelId)].toSorted(
    ([one], [other]) => Number(other === here) - Number(one === here),
  );
  const headings = uniqueNames(names);
  const { parts, count, tooLong } = inParts(
    byChannel.map(([channelId, found]) => ({
      heading: headings.get(channelId) ?? channelId,
      lines: found.map((row) => lineOf(row, bot.config.copy.commands)),
    })),
  );
  const isShort = rows.some((row, index) => row !== stored[index]);
  await context.reply(exportedLines({ parts, count, tooLong, of: rows.length, isShort }));
}

/** Returns the subscription with the filters that its channel shows. Import refuses paths and people that are not written out. */
async function asShown(bot: Bot, row: Subscription): Promise<Subscription> {
  if (!(await isDiscreet(bot, row))) return row;
  const names = await namesIn(bot, row, row);
  const { only, paths, by, notBy } = row.filters;
  const shown = (who: PersonName) =>
    'email' in who && names.get(who.email) === someone ? { email: someone } : who;
  const filters = { only, paths: paths.map(shortPattern), by: by.map(shown), notBy: notBy.map(shown) };
  return isDeepStrictEqual(filters, row.filters) ? row : { ...row, filters };
}

/** Returns the channels by their names; without those that share one, as channels of an organization's workspaces can. */
function uniqueNames(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const found = Map.groupBy(names.keys(), (id) => `#${names.get(id)}`);
  return new Map([...found].flatMap(([name, ids]) => (ids.length === 1 ? ids.map((id) => [id, name]) : [])));
}

/** Returns the command that makes a subscription, always with its delivery: where it is imported another may be usual. */
export function lineOf(row: Parameters<typeof requestOf>[0], names: CommandNames): string {
  const request = { ...requestOf(row), when: row.delivery, threads: row.threads || undefined };
  return typedLine(request, names);
}

/** Returns as many lines as fit, each part beginning with a heading, their `count`, and how many are `tooLong` for any part. */
function inParts(groups: readonly { readonly heading: string; readonly lines: readonly string[] }[]) {
  const parts: string[] = [];
  let count = 0;
  for (const { heading, lines } of groups) {
    let isOpen = false;
    for (const line of lines) {
      const begun = `${heading}\n${line}`;
      const longer = `${parts.at(-1)}\n${isOpen ? line : begun}`;
      if (parts.length > 0 && longer.length <= longestPart) parts[parts.length - 1] = longer;
      else if (parts.length < mostParts && begun.length <= longestPart) parts.push(begun);
      else continue;
      isOpen = true;
      count += 1;
    }
  }
  const isTooLong = (heading: string) => (line: string) => `${heading}\n${line}`.length > longestPart;
  const tooLong = groups.flatMap(({ heading, lines }) => lines.filter(isTooLong(heading))).length;
  return { parts, count, tooLong };
}
