import type { HomeView } from '@slack/types';
import { minuteMs } from '../../lib/durations.ts';
import type { Log } from '../../lib/log.ts';
import { homeRefusal, homeView } from '../../messages/home/home.ts';
import { rowsOfPage } from '../../messages/subscribing/lists.ts';
import type { Copy } from '../../messages/text/copy.ts';
import type { Links } from '../../store/tables/links.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { ChannelsOf, IsAdmin, IsInChannel } from '../access/slack-facts.ts';
import type { ListExclusions } from '../channels/list-exclusions.ts';
import type { ProfileOf, SlackPerson } from '../model/people.ts';
import { type ListSubscriptionsDeps, makeListSubscriptions } from './list-subscriptions.ts';

/**
 * Publishes a person's Home tab. With `over`, the hash of the view it replaces, only if they still see that view or one that replaced
 * it.
 */
export type PublishHome = (person: SlackPerson, view: HomeView, over?: string) => Promise<void>;

type ShowHomeDeps = ListSubscriptionsDeps & {
  readonly links: Pick<Links, 'of'>;
  readonly subscriptions: Pick<Subscriptions, 'ofPerson'>;
  /** Returns the profile of a few seconds ago at most. */
  readonly currentProfileOf: ProfileOf;
  readonly isAdmin: IsAdmin;
  readonly channelsOf: ChannelsOf;
  readonly isInChannel: IsInChannel;
  readonly listExclusions: ListExclusions;
  readonly publish: PublishHome;
  readonly copy: Copy;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly log: Pick<Log, 'warn'>;
};

export type ShowHome = ReturnType<typeof makeShowHome>;

/** A tab opened longer ago is probably closed; it is redrawn when it is opened again. */
const watchedMs = 30 * minuteMs;
const mostWatched = 1_000;

/** Shows each person's Home tab: their account, the subscriptions that use it, and the items they follow. */
export function makeShowHome(deps: ShowHomeDeps) {
  const listSubscriptions = makeListSubscriptions(deps);
  const watched = new Map<string, number>();

  async function show(person: SlackPerson, page: number): Promise<void> {
    const { standing } = await deps.currentProfileOf(person);
    if (standing !== 'member') return deps.publish(person, homeRefusal);
    const [link, own, channels, admin] = await Promise.all([
      deps.links.of(person),
      deps.subscriptions.ofPerson(person),
      deps.channelsOf(person),
      // The tab is useful even without the buttons for admins.
      deps.isAdmin(person).catch(() => false),
    ]);
    const found = byChannel(own);
    const shown = rowsOfPage(found.length, page);
    const listed = await listSubscriptions(found, shown);
    const ids = await visibleAmong(person, found.slice(shown.from, shown.to), channels);
    const rows = listed.map((row, index) => {
      const channelId = found[index]?.channelId ?? null;
      return { ...row, channelId: channelId !== null && ids.has(channelId) ? channelId : null };
    });
    const muted = await deps.listExclusions(person, [...ids]);
    await deps.publish(
      person,
      homeView({
        link,
        rows,
        muted,
        page,
        channelsKnown: channels !== null,
        admin,
        copy: deps.copy,
      }),
    );
  }

  /** Returns the channels that the person is certainly in. Only these are shown and can be acted on. */
  async function visibleAmong(
    person: SlackPerson,
    rows: readonly Subscription[],
    known: ReadonlySet<string> | null,
  ): Promise<ReadonlySet<string>> {
    const ids = new Set(rows.filter(({ teamId }) => teamId === person.teamId).map((row) => row.channelId));
    if (known === null) return new Set();
    const found = [...ids].map(async (id) => {
      // The cached list of their channels may lack the newest.
      const isIn = known.has(id) || (await deps.isInChannel(person, id)) === 'yes';
      return isIn ? [id] : [];
    });
    return new Set((await Promise.all(found)).flat());
  }

  return {
    /** Shows the tab to a person who opened it or clicked in it. */
    async show(person: SlackPerson, page = 0): Promise<void> {
      watch(keyOf(person));
      await show(person, page);
    },

    /** Another screen replaces the tab, so a refresh must not overwrite it. */
    left(person: SlackPerson): void {
      watched.delete(keyOf(person));
    },

    /** Redraws the tab after something of the person's changed, if they may be looking at it. Never throws. */
    async refresh(person: SlackPerson): Promise<void> {
      const opened = watched.get(keyOf(person));
      if (opened === undefined || deps.now() - opened > watchedMs) return;
      await show(person, 0).catch((error: unknown) =>
        deps.log.warn({ err: error, team: person.teamId }, 'could not refresh a Home tab'),
      );
    },
  };

  function watch(key: string): void {
    watched.delete(key);
    watched.set(key, deps.now());
    const oldest = watched.keys().next().value;
    if (watched.size > mostWatched && oldest !== undefined) watched.delete(oldest);
  }
}

/** Groups rows by channel, otherwise in their order. */
function byChannel(rows: readonly Subscription[]): Subscription[] {
  return [...Map.groupBy(rows, (row) => `${row.teamId}/${row.channelId}`).values()].flat();
}

function keyOf({ teamId, userId }: SlackPerson): string {
  return `${teamId}/${userId}`;
}
