import { dayMs, earlier } from '../../lib/durations.ts';
import { timeLeft } from '../../lib/time-left.ts';
import { sharedAlreadySo } from '../../messages/subscribing/answers.ts';
import { channelShared, sharedChannelShows } from '../../messages/subscribing/channel-announcements.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import type { TransactionTables } from '../access/in-transaction.ts';
import { channelFields } from '../model/log-fields.ts';
import type { Channel } from '../model/people.ts';
import type { ChannelsRoomDeps } from './channels-deps.ts';

export type SharedChannel = ReturnType<typeof makeSharedChannel>;

/** Channels checked in one round: Slack allows about 50 of these calls a minute in a workspace, and commands need some. */
const looksARound = 20;
const lookAgainMs = dayMs;
const shareMs = 15_000;

/** Handles channels that people of another organization can read. */
export function makeSharedChannel(deps: ChannelsRoomDeps) {
  const { clock, channels, inTransaction } = deps;

  /** Announces once that the channel is shared, if it has subscriptions. */
  async function announceIn(tables: TransactionTables, channel: Channel): Promise<void> {
    if ((await tables.subscriptions.ofChannel(channel)).length === 0) return;
    if (await tables.channels.takeNotice(channel)) await tables.announce(channel, channelShared);
  }

  const announceOnce = (channel: Channel) => inTransaction((tables) => announceIn(tables, channel));

  async function look(channel: Channel): Promise<boolean> {
    // Recorded before Slack is asked, so that channels without an answer do not delay the others.
    await channels.noteLook(channel, clock.now());
    const isShared = await deps.isShared(channel);
    await channels.noteAnswer(channel, isShared);
    if (isShared) await announceOnce(channel);
    return isShared;
  }

  async function show(context: CommandContext, all: boolean): Promise<void> {
    const { name } = await deps.profileOf(context.person);
    const channel = channelOf(context);
    const isNew = await inTransaction(async (tables) => {
      if (!(await tables.channels.setShowsAll(channel, all))) return false;
      const by = { userId: context.person.userId, name };
      await tables.announce(channel, sharedChannelShows({ by, all }));
      const act = all ? 'show all in shared channel' : 'shorten in shared channel';
      await tables.audit(context, act, context.channelId);
      return true;
    });
    if (!isNew) return context.reply(sharedAlreadySo({ all }));
    await deps.refreshHome(context.person);
  }

  return {
    /**
     * An event said that a channel was shared. Outside of an organization that always means with another one; inside, Slack is asked,
     * and no answer counts as yes. `at`: the event's `event_ts`.
     */
    async shared(channel: Channel, at: string): Promise<void> {
      const isShared = channel.enterpriseId === null || (await deps.isShared(channel).catch(() => true));
      if (!isShared) return;
      await inTransaction(async (tables) => {
        if (await tables.channels.note(channel, { fact: 'shared', holds: true, at })) {
          await announceIn(tables, channel);
        }
      });
    },

    /** An event said that an organization has left the channel. `stillShared`: whether others remain; null if the event did not say. */
    async unshared(channel: Channel, stillShared: boolean | null, at: string): Promise<void> {
      if (stillShared ?? (await deps.isShared(channel).catch(() => true))) return;
      await inTransaction(({ channels }) => channels.note(channel, { fact: 'shared', holds: false, at }));
    },

    /** Asks Slack whether a channel is shared, and stores the answer. Throws if Slack does not say. */
    look,

    /** Announces once what changes because the channel is shared, if it has subscriptions. */
    announceOnce,

    show,

    /** Checks channels that were not checked for a day, in case an event never arrived. Runs every minute. */
    async lookRound(): Promise<void> {
      const hasTime = timeLeft(clock, shareMs);
      const since = earlier(clock.now(), lookAgainMs);
      for (const channel of await channels.notLookedAt(since, looksARound)) {
        if (!hasTime()) return;
        await look(channel).catch((error: unknown) => {
          deps.log.warn({ err: error, ...channelFields(channel) }, 'could not check if a channel is shared');
        });
      }
    },
  };
}
