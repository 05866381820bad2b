import type { HomeView } from '@slack/types';
import { minuteMs } from '../../lib/durations.ts';
import type { Log } from '../../lib/log.ts';
import { type HomeAccount, homeRefusal, homeView } from '../../messages/home/home.ts';
import { rowsOfPage } from '../../messages/subscribing/lists.ts';
import type { Copy } from '../../messages/text/copy.ts';
import type { Links } from '../../store/tables/links.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { IsAdmin } from '../access/admins.ts';
import type { ChannelsOf } from '../access/channels-of.ts';
import type { IsInChannel } from '../access/in-channel.ts';
import type { ListExclusions } from '../channels/list-exclusions.ts';
import type { Link } from '../model/link.ts';
import type { SlackPerson } from '../model/people.ts';
import { type ListSubscriptionsDeps, makeListSubscriptions } from './list-subscriptions.ts';

/** Draws a person's Home tab; with `over`, the hash of what it replaces, only if they look at that or at what has replaced it. */
export type PublishHome = (person: SlackPerson, view: HomeView, over?: string) => Promise<void>;

export type ShowHomeDeps = ListSubscriptionsDeps & {
  readonly links: Pick<Links, 'of'>;
  readonly subscriptions: Pick<Subscriptions, 'ofPerson'>;
  readonly isAdmin: IsAdmin;
  readonly channelsOf: ChannelsOf;
  readonly isInChannel: IsInChannel;
  readonly listExclusions: ListExclusions;
  readonly publish: PublishHome;
  readonly copy: Copy;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
  readonly log: Pick<Log, 'warn'>;
};

export type ShowHome = ReturnType<typeof makeShowHome>;

/** A tab that was opened longer ago is probably closed; it is drawn again when it is opened next. */
const watchedMs = 30 * minuteMs;
const mostWatched = 1_000;

/** The Home tab of each person: their account, the subscriptions that use it, and the items they follow. */
export function makeShowHome(deps: ShowHomeDeps) {
  const listSubscriptions = makeListSubscriptions(deps);
  const watched = new Map<string, number>();

  async function show(person: SlackPerson, page: number): Promise<void> {
    const { standing } = await deps.profileOf(person);
    if (standing !== 'member') return deps.publish(person, homeRefusal());
    const [link, own, channels, admin] = await Promise.all([
      deps.links.of(person),
      deps.subscriptions.ofPerson(person),
      deps.channelsOf(person),
      // The tab is worth showing without the buttons for admins.
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
        account: accountOf(link),
        rows,
        muted,
        page,
        channelsKnown: channels !== null,
        admin,
        copy: deps.copy,
      }),
    );
  }

  /** Channels are shown, and can be acted on, only where it is certain that the person is in them. */
  async function visibleAmong(
    person: SlackPerson,
    rows: readonly Subscription[],
    known: ReadonlySet<string> | null,
  ): Promise<ReadonlySet<string>> {
    const ids = new Set(rows.filter(({ teamId }) => teamId === person.teamId).map((row) => row.channelId));
    if (known === null) return new Set();
    const seen = [...ids].map(async (id) => {
      // The cached list of their channels may lack the newest.
      const isIn = known.has(id) || (await deps.isInChannel(person, id)) === 'yes';
      return isIn ? [id] : [];
    });
    return new Set((await Promise.all(seen)).flat());
  }

  return {
    /** The person opened it, or uses it. */
    async show(person: SlackPerson, page = 0): Promise<void> {
      watch(keyOf(person));
      await show(person, page);
    },

    /** Something else is shown in its place, which a refresh must not replace. */
    left(person: SlackPerson): void {
      watched.delete(keyOf(person));
    },

    /** Something of theirs has changed: redraws the tab where they may be looking at it. Never throws. */
    async refresh(person: SlackPerson): Promise<void> {
      const opened = watched.get(keyOf(person));
      if (opened === undefined || deps.now() - opened > watchedMs) return;
      await show(person, 0).catch((error: unknown) =>
        deps.log.warn({ err: error, team: person.teamId }, 'a Home tab could not be refreshed'),
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

/** In their order, but those of one channel next to each other. */
function byChannel(rows: readonly Subscription[]): Subscription[] {
  return [...Map.groupBy(rows, (row) => `${row.teamId}/${row.channelId}`).values()].flat();
}

function accountOf(link: Link | null): HomeAccount {
  if (!link) return { kind: 'none' };
  const { account, linkedAt } = link;
  return { kind: link.state === 'active' ? 'active' : 'again', account, linkedAt };
}

function keyOf({ teamId, userId }: SlackPerson): string {
  return `${teamId}/${userId}`;
}
