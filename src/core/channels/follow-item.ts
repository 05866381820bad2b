import { earlier, hourMs } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import { timeLeft } from '../../lib/time-left.ts';
import { itemDeleted } from '../../messages/subscribing/exclusions.ts';
import {
  type FollowEnd,
  followAnswer,
  followEnded,
  followMade,
  tooMuchFollowed,
} from '../../messages/subscribing/following.ts';
import type { FedSubscription, FedSubscriptions } from '../../store/tables/fed-subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { InTransaction } from '../access/in-transaction.ts';
import { placeOf } from '../access/personal.ts';
import { requireMayChange } from '../access/who-may.ts';
import type { Bot } from '../bot.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import { type Channel, isDirect, ownerOf } from '../model/people.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import type { Target } from '../model/subscription.ts';
import type { ShownEvent } from './exclude.ts';

type FollowItemDeps = Pick<Bot, 'clock' | 'log'> &
  Pick<Bot['slack'], 'profileOf' | 'isInChannel'> & {
    readonly bot: Bot;
    readonly fed: FedSubscriptions;
    readonly inTransaction: InTransaction;
  };

export type FollowItem = ReturnType<typeof makeFollowItem>;

/** Rows that are ended, or that Slack is asked about, in one round. */
const rowsARound = 100;
/** People checked in one round: Slack allows about 100 of these calls a minute in a workspace. */
const looksARound = 20;
const lookAgainMs = 6 * hourMs;
const shareMs = 15_000;
/** The most items one person can follow: each notification has to look for them. */
const mostFollowed = 100;

/**
 * Follows an item of a channel's message in the person's own direct message. The channel's subscription supplies the events, so this
 * needs no remote subscription and no link. It ends with that subscription, or when the person leaves the channel.
 */
export function makeFollowItem(deps: FollowItemDeps) {
  const { clock, fed, inTransaction } = deps;

  async function end(rows: readonly FedSubscription[], why: FollowEnd): Promise<void> {
    await forEachRow(
      rows,
      ({ fed: row, source }) =>
        inTransaction(async ({ subscriptions, events, announce }) => {
          const ended = await subscriptions.end([row.id], why, clock.now());
          if (ended.length === 0) return;
          await events.dropEnded([row.id]);
          const subscribed = subscribedOf(row);
          await announce(row, followEnded(subscribed, source.channelId, why));
        }),
      (error, { fed: row }) =>
        deps.log.warn({ err: error, ...subscriptionFields(row) }, 'could not end a followed item'),
    );
  }

  /** Ends everything a follower follows from the channel, if they are no longer allowed to read it. */
  async function look(followed: FedSubscription): Promise<void> {
    const person = ownerOf(followed.fed);
    // If Slack does not say, the next round asks again.
    const profile = await deps.profileOf(person).catch(() => null);
    if (profile === null) return;
    const isMember = profile.standing === 'member';
    const isIn = isMember ? await deps.isInChannel(person, followed.source.channelId) : 'no';
    if (isIn === 'yes') await fed.noteLook(followed, clock.now());
    if (isIn !== 'no') return;
    await end(
      await fed.ofPersonIn(followed.source, person.userId),
      isMember ? 'left channel' : 'not a member',
    );
  }

  return {
    /**
     * Starts following the item of an event, from a channel that the person is in. Throws a `Refusal` if admins do not allow its project:
     * the channel's subscription may be older than that.
     */
    async follow(context: CommandContext, { event, change, isGone }: ShownEvent): Promise<void> {
      if (isGone) return context.reply(itemDeleted);
      const target = targetOf(event.notification, change.kind);
      if (target === null || isDirect(context.channelId)) return context.reply(followAnswer('unknown item'));
      const place = await placeOf(deps.bot, context, { act: 'open-form', personal: true });
      if (!isDirect(place.channelId)) return context.reply(followAnswer('no direct message'));
      await requireMayChange(deps.bot, place, {
        act: 'subscribe',
        target,
        comprehensive: false,
        filters: {},
        personal: true,
      });
      if ((await fed.countIn({ ...context.person, channelId: place.channelId })) >= mostFollowed)
        return context.reply(tooMuchFollowed(context.copy));
      const made = await inTransaction(async ({ fed: table, announce, audit }) => {
        const { name } = change;
        const at = { person: context.person, directId: place.channelId, target, name, now: clock.now() };
        const row = await table.add(event.subscription, at);
        if (row === null) return null;
        const { channelId } = context;
        await announce(row, followMade({ id: row.id, subscribed: subscribedOf(row), channelId }));
        await audit(place, 'subscribe', row.id);
        return row;
      });
      if (made === null) return context.reply(followAnswer('followed already'));
      await context.reply(followAnswer(null));
    },

    /** Ends what a person who left a channel followed from it. Slack may report that late: what they followed after coming back stays. */
    async left(channel: Channel, userId: string, at: Date): Promise<void> {
      const rows = await fed.ofPersonIn(channel, userId);
      await end(
        rows.filter((row) => row.fed.createdAt <= at),
        'left channel',
      );
    },

    /** Ends rows whose source subscription has ended. Runs every minute. */
    async endOrphaned(): Promise<void> {
      await end(await fed.orphaned(rowsARound), 'source ended');
    },

    /** Checks followers that were not checked for six hours, in case an event never arrived. Runs every minute. */
    async lookRound(): Promise<void> {
      const hasTime = timeLeft(clock, shareMs);
      const waiting = await fed.notLookedAt(earlier(clock.now(), lookAgainMs), rowsARound);
      const people = new Map(
        waiting.map((each) => [
          `${each.fed.ownerUserId}/${each.source.teamId}/${each.source.channelId}`,
          each,
        ]),
      );
      for (const each of [...people.values()].slice(0, looksARound)) {
        if (!hasTime()) return;
        await look(each);
      }
    },
  };
}

/** Returns what to follow; null for whole projects and sessions. An item that is not known to be a folder counts as a file. */
function targetOf(
  { projectId, sessionId, itemId }: ShownEvent['event']['notification'],
  kind: ShownEvent['change']['kind'],
): Target | null {
  if (itemId === null) return null;
  if (kind === 'document') return sessionId === null ? null : { kind, sessionId, documentId: itemId };
  if (projectId === null || kind === 'project' || kind === 'session' || kind === 'other') return null;
  return { kind: kind === 'folder' ? 'folder' : 'file', projectId, itemId };
}
