import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { Link } from '../model/link.ts';
import type { SlackPerson } from '../model/people.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';

type WhatStops = {
  readonly link: Link;
  /** Subscriptions that use this link, and stop without it. */
  readonly subscriptions: readonly Subscription[];
};

type Unlinked = { readonly outcome: 'unlinked' | 'not-linked' };

export type Unlink = {
  /** Returns what unlinking would stop; null if the person is not linked. Changes nothing. */
  readonly listWhatStops: (person: SlackPerson) => Promise<WhatStops | null>;
  /** Ends a person's link, for themselves or an admin. Its tokens are deleted when this settles, even if other steps failed. */
  readonly unlink: (person: SlackPerson, by?: SlackPerson) => Promise<Unlinked>;
};

/** Ends a link's subscriptions, here and at the service, while its tokens still exist. Stops at the signal. */
export type ReleaseSubscriptions = (link: Link, signal: AbortSignal) => Promise<void>;

type UnlinkDeps = LinkingRoomDeps & { readonly releaseSubscriptions: ReleaseSubscriptions };

/** How long to wait for the service, so that tokens are deleted even if it does not answer. */
const releaseLimit = 20_000;

/** Ends links. Called only from Slack, which guarantees who is asking. */
export function makeUnlink(deps: UnlinkDeps): Unlink {
  return {
    listWhatStops: async (person) => {
      const link = await deps.links.of(person);
      return link === null ? null : { link, subscriptions: await deps.subscriptions.ofOwner(person) };
    },

    unlink: async (person, by = person) => {
      // Needed even without a link: tokens may be waiting for a code.
      await deps.attempts.endAll(person);
      const link = await deps.links.of(person);
      if (link === null) return { outcome: 'not-linked' };
      try {
        await inTime(deps.signalAfter(releaseLimit), (signal) => deps.releaseSubscriptions(link, signal));
      } catch (error) {
        deps.noteFailure('end the subscriptions of a link that is being removed', error, person);
      } finally {
        await deps.inTransaction(async ({ links, audit }) => {
          if (await links.remove(link.id)) await audit({ person: by, channelId: '' }, 'unlink', link.id);
        });
      }
      return { outcome: 'unlinked' };
    },
  };
}

/** Settles with `work`, or rejects at the signal even if `work` ignores it. */
function inTime(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return Promise.race([work(signal), promise]);
}
