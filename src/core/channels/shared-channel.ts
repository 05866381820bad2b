import { dayMs, earlier } from '../../lib/durations.ts';
import type { Log } from '../../lib/log.ts';
import { timeLeft } from '../../lib/time-left.ts';
import { sharedAlreadySo } from '../../messages/subscribing/answers.ts';
import { channelShared, sharedChannelShows } from '../../messages/subscribing/channel-announcements.ts';
import type { Channels } from '../../store/tables/channels.ts';
import { channelOf } from '../access/channel-of.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { WriteAudit } from '../access/write-audit.ts';
import type { Clock } from '../model/clock.ts';
import type { Channel, ProfileOf, SlackPerson } from '../model/people.ts';
import type { InTransaction, TransactionTables } from '../upstream/in-transaction.ts';

export type SharedChannelDeps = {
  readonly clock: Clock;
  readonly channels: Pick<Channels, 'noteLook' | 'notLookedAt'>;
  readonly inTransaction: InTransaction;
  /** Whether people of other organizations are in a channel. Throws where Slack does not say. */
  readonly isShared: (channel: Channel) => Promise<boolean>;
  readonly profileOf: ProfileOf;
  readonly audit: WriteAudit;
  readonly refreshHome: (person: SlackPerson) => Promise<void>;
  readonly log: Pick<Log, 'warn'>;
};

export type SharedChannel = ReturnType<typeof makeSharedChannel>;

/** Looks at so many channels in one round: Slack takes about 50 such questions a minute and workspace, and commands need some. */
const looksARound = 20;
const lookAgainMs = dayMs;
const shareMs = 15_000;

/** What changes where people of another organization read along. */
export function makeSharedChannel(deps: SharedChannelDeps) {
  const { clock, channels, inTransaction } = deps;

  /** Announces it once, in a channel that has subscriptions. */
  async function announceIn(tables: TransactionTables, channel: Channel): Promise<void> {
    if ((await tables.subscriptions.ofChannel(channel)).length === 0) return;
    if (await tables.channels.takeNotice(channel)) await tables.announce(channel, channelShared());
  }

  const announceOnce = (channel: Channel) => inTransaction((tables) => announceIn(tables, channel));

  async function look(channel: Channel): Promise<boolean> {
    const isShared = await deps.isShared(channel);
    await channels.noteLook(channel, isShared, clock.now());
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
      return true;
    });
    if (!isNew) return context.reply(sharedAlreadySo({ all }));
    await deps.audit(
      context,
      all ? 'show all in shared channel' : 'shorten in shared channel',
      context.channelId,
    );
    await deps.refreshHome(context.person);
  }

  return {
    /**
     * An event said that a channel was shared. Outside of an organization that can only be with another one; within, Slack is asked, and
     * silence counts as yes. `at`: its `event_ts`.
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

    /** An event said that an organization has left the channel. `stillShared`: whether others remain, null where that was not said. */
    async unshared(channel: Channel, stillShared: boolean | null, at: string): Promise<void> {
      if (stillShared ?? (await deps.isShared(channel).catch(() => true))) return;
      await inTransaction(({ channels }) => channels.note(channel, { fact: 'shared', holds: false, at }));
    },

    /** Asks Slack whether a channel is shared, and keeps the answer. Throws where Slack does not say. */
    look,

    /** Announces once what being shared changes, where the channel is known to be shared. */
    announceOnce,

    show,

    /** Looks at channels that nobody has looked at for a day, for events that never came. For every minute. */
    async lookRound(): Promise<void> {
      const hasTime = timeLeft(clock, shareMs);
      const since = earlier(clock.now(), lookAgainMs);
      for (const channel of await channels.notLookedAt(since, looksARound)) {
        if (!hasTime()) return;
        // One that Slack gives no answer for must not keep the others waiting.
        await look(channel).catch((error: unknown) => {
          const { teamId: team, channelId } = channel;
          deps.log.warn({ err: error, team, channel: channelId }, 'a channel was not looked at');
        });
      }
    },
  };
}
