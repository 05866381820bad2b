import { subscriptionPaused } from '../messages/announcements.ts';
import type { Message } from '../messages/message.ts';
import type { Wording } from '../messages/words.ts';
import type { Subscriptions } from '../store/subscriptions.ts';
import type { Clock } from './clock.ts';
import type { Link } from './linking/link.ts';
import type { Channel, ProfileOf } from './people.ts';
import { commandLine, defaultNames, formatRequest } from './request.ts';
import type { Upstream } from './upstream.ts';

export type ReleaseLinkDeps = {
  readonly clock: Clock;
  readonly subscriptions: Pick<Subscriptions, 'ofOwner' | 'pause'>;
  readonly upstream: Pick<Upstream, 'removeRecord'>;
  readonly profileOf: ProfileOf;
  readonly announce: (channel: Channel, message: Message) => Promise<void>;
  readonly wording: Wording;
};

/**
 * Lets go of what was made with a link, before its tokens go: the service's records are removed, and the channels' subscriptions
 * wait for somebody to take them over.
 */
export function makeReleaseLink(deps: ReleaseLinkDeps) {
  return async (link: Link, signal: AbortSignal): Promise<void> => {
    const owned = await deps.subscriptions.ofOwner(link);
    const paused = await deps.subscriptions.pause(
      owned.map(({ id }) => id),
      'unlinked',
      deps.clock.now(),
    );
    const profile = await deps.profileOf(link).catch(() => null);
    const owner = { userId: link.userId, name: profile?.name ?? link.userId };
    for (const row of paused) {
      const { target, comprehensive, resourceName } = row;
      const toFollow = commandLine(
        formatRequest({ act: 'subscribe', target, comprehensive, filters: {} }),
        defaultNames,
      );
      const mending = { wording: deps.wording, botName: '', toFollow };
      const subscribed = { target, comprehensive, name: resourceName };
      const pause = { reason: 'unlinked' as const, owner };
      await deps.announce(row, subscriptionPaused({ subscribed, pause, mending, takeOverValue: row.id }));
    }
    for (const row of owned) {
      if (signal.aborted) return;
      await deps.upstream.removeRecord(row);
    }
  };
}
