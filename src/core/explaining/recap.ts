import { dayMs, earlier } from '../../lib/durations.ts';
import { caughtUp, recapMessage, whichItem } from '../../messages/explaining/recap.ts';
import * as directMessages from '../../store/tables/direct-messages.ts';
import * as recapEvents from '../../store/tables/recap-events.ts';
import * as settings from '../../store/tables/settings.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import type { AnyRequest } from '../model/any-request.ts';
import type { SlackPerson } from '../model/people.ts';
import { recapDays, recapSince } from '../model/recap-since.ts';
import type { RecapRequest } from '../model/request.ts';
import { type ChangesSince, changesSince, withoutAsking } from './changes-since.ts';
import { findNamed, isOfItem } from './named-items.ts';

/** How many channels one look at all of them covers. */
const mostChannels = 20;

/** Lists what changed in what the channel follows, or of one item, for the reader alone. A `page` takes the place of the one that was shown. */
export async function recap(bot: Bot, context: CommandContext, request: RecapRequest): Promise<void> {
  const channel = channelOf(context);
  const now = bot.clock.now();
  const earliest = earlier(now, recapDays * dayMs);
  const again = (other: Omit<RecapRequest, 'act'>): AnyRequest => {
    const wanted = { act: 'recap', ...other } as const;
    // Of a press elsewhere, Slack does not say which channel it is about.
    if (context.madeInChannel) return wanted;
    return { act: 'in-channel', channelId: channel.channelId, request: wanted };
  };
  const options = { replace: request.page !== undefined };
  const followed = await subscriptions.ofChannel(bot.db, channel);
  const { named = null, key: pressed } = request;
  const found = named === null ? [] : await findNamed(bot, channel, { named, followed, since: earliest });
  if (found.length > 1) {
    return context.reply(
      whichItem({ named: named ?? '', items: found, since: request.since, again }),
      options,
    );
  }
  const [item = null] = found;
  const since = recapSince(request.since, await zoneOf(bot, context.person), now);
  const scope = { key: pressed ?? item?.key ?? null, since };
  const listed = await changesSince(bot, channel, scope);
  const last = listed.changes.at(-1);
  const isItem = scope.key !== null && isOfItem(scope.key);
  const { signs } = await settings.of(bot.db, channel);
  await context.reply(
    recapMessage({
      ...listed,
      since,
      page: request.page ?? 0,
      request: { since: request.since, key: scope.key ?? undefined },
      about: scope.key === null ? null : (isItem ? last?.name : last?.within?.name) || item?.name || null,
      isItem,
      unknown: scope.key === null ? named : null,
      channelId: context.madeInChannel ? null : channel.channelId,
      follows: followed.length > 0,
      signed: signs,
      again,
    }),
    options,
  );
}

/** Lists the person's channels in which something changed since yesterday, with counts. */
export async function catchUp(bot: Bot, context: CommandContext): Promise<void> {
  const { person } = context;
  const [channels, direct, zone] = await Promise.all([
    bot.slack.channelsOf(person),
    directMessages.of(bot.db, person),
    zoneOf(bot, person),
  ]);
  const since = recapSince(undefined, zone, bot.clock.now());
  const own = [...(channels ?? []), ...(direct === null ? [] : [direct])];
  const newest = await recapEvents.newestChannels(bot.db, person, own, { since, limit: mostChannels });
  const found: (ChangesSince & { readonly channelId: string })[] = [];
  for (const channelId of newest) {
    const listed = await changesSince(withoutAsking(bot), { ...person, channelId }, { key: null, since });
    if (listed.changes.length > 0) found.push({ ...listed, channelId });
  }
  await context.reply(caughtUp({ since, channels: found, channelsKnown: channels !== null }));
}

async function zoneOf({ slack }: Bot, person: SlackPerson): Promise<string> {
  return (await slack.profileOf(person)).zone;
}
