import { subscriptionPaused } from '../messages/announcements.ts';
import type { Message } from '../messages/message.ts';
import type { PauseReason, Wording } from '../messages/words.ts';
import type { Subscription, Subscriptions } from '../store/subscriptions.ts';
import type { Clock } from './clock.ts';
import type { Channel, ProfileOf, SlackPerson } from './people.ts';
import type { PostOutcome } from './post.ts';
import { type CommandNames, commandLine, formatRequest } from './request.ts';
import { subscribedOf } from './subscribed-of.ts';

export type PauseChannelDeps = {
  readonly clock: Clock;
  readonly profileOf: ProfileOf;
  readonly directMessage: (person: SlackPerson, message: Message) => Promise<void>;
  readonly wording: Wording;
  readonly names: CommandNames;
  readonly botName: (channel: Channel) => Promise<string>;
  readonly log: { readonly warn: (fields: Record<string, unknown>, message: string) => void };
};

/** Pauses what a channel follows when it is closed to the bot, and tells each owner once. Nothing is deleted. */
export function makePauseChannel(deps: PauseChannelDeps) {
  return {
    /** Pauses what is live, in the transaction that pauses the lane; gives what was not paused before. */
    async pause(
      subscriptions: Pick<Subscriptions, 'ofChannel' | 'pause'>,
      channel: Channel,
      outcome: PostOutcome,
    ): Promise<Subscription[]> {
      const live = await subscriptions.ofChannel(channel);
      const ids = live.map(({ id }) => id);
      return subscriptions.pause(ids, reasonFor(outcome), deps.clock.now());
    },

    /** Tells the owners of what was paused. */
    async tell(paused: readonly Subscription[], outcome: PostOutcome): Promise<void> {
      const reason = reasonFor(outcome);
      // In a workspace that is closed as a whole nobody can be told anything.
      if (reason === 'workspace access') return;
      for (const row of paused) await tell(row, reason);
    },
  };

  async function tell(row: Subscription, reason: PauseReason): Promise<void> {
    const person = { enterpriseId: row.enterpriseId, teamId: row.teamId, userId: row.ownerUserId };
    const { target, comprehensive } = row;
    try {
      const { name } = await deps.profileOf(person);
      const owner = { userId: row.ownerUserId, name };
      const toFollow = commandLine(
        formatRequest({ act: 'subscribe', target, comprehensive, filters: {} }),
        deps.names,
      );
      const mending = { wording: deps.wording, botName: await deps.botName(row), toFollow };
      const subscribed = subscribedOf(row);
      const where = { channelId: row.channelId };
      await deps.directMessage(
        person,
        subscriptionPaused({ subscribed, pause: { reason, owner }, mending, where }),
      );
    } catch (error) {
      deps.log.warn({ err: error, subscription: row.id }, 'an owner was not told of a pause');
    }
  }
}

export type PauseChannel = ReturnType<typeof makePauseChannel>;

function reasonFor(outcome: PostOutcome): PauseReason {
  if (outcome.kind === 'workspace closed') return 'workspace access';
  if (outcome.kind !== 'channel closed') return 'posting restricted';
  switch (outcome.error) {
    case 'channel_not_found':
    case 'not_in_channel':
      return 'not in channel';
    case 'is_archived':
      return 'channel archived';
    default:
      return 'posting restricted';
  }
}
