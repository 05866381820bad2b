import type { HomeView } from '@slack/types';
import { minuteMs } from '../../lib/durations.ts';
import type { Log } from '../../lib/log.ts';
import { makeOneAtATime } from '../../lib/one-at-a-time.ts';
import { homeRefusal, homeView } from '../../messages/home/home.ts';
import { rowsOfPage } from '../../messages/subscribing/lists.ts';
import type { Copy } from '../../messages/text/copy.ts';
import type { Links } from '../../store/tables/links.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { ChannelsOf, IsAdmin, IsInChannel } from '../access/slack-facts.ts';
import type { ListExclusions } from '../channels/list-exclusions.ts';
import { type Channel, channelKey, type ProfileOf, type SlackPerson } from '../model/people.ts';
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
  /** Returns a channel under the workspace where it is stored. */
  readonly homeOf: (channel: Channel) => Promise<Channel>;
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
  const oneAtATime = makeOneAtATime();
  /** Tabs that were opened and will be drawn once the drawing under way is done, by person. */
  const toDraw = new Map<string, Promise<void>>();

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
    const visible = await visibleAmong(person, found.slice(shown.from, shown.to), channels);
    const rows = listed.map((row, index) => {
      const subscription = found[index];
      const isVisible = subscription !== undefined && visible.has(channelKey(subscription));
      return { ...row, channelId: isVisible ? subscription.channelId : null };
    });
    const muted = await mutedIn([...visible.values()]);
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

  /** Returns the channels that the person is certainly in, by key. Only these are shown and can be acted on. */
  async function visibleAmong(
    person: SlackPerson,
    rows: readonly Subscription[],
    known: ReadonlySet<string> | null,
  ): Promise<ReadonlyMap<string, Channel>> {
    if (known === null) return new Map();
    const channels = new Map(rows.map((row) => [channelKey(row), row]));
    const found = [...channels].map(async ([key, row]) =>
      (await isVisible(person, row, known)) ? [[key, row] as const] : [],
    );
    return new Map((await Promise.all(found)).flat());
  }

  async function isVisible(
    person: SlackPerson,
    { teamId, channelId }: Channel,
    known: ReadonlySet<string>,
  ): Promise<boolean> {
    if (teamId === person.teamId) {
      // The cached list of their channels may lack the newest.
      return known.has(channelId) || (await deps.isInChannel(person, channelId)) === 'yes';
    }
    // Workspaces of an organization can share a channel, which is stored under one of them.
    return known.has(channelId) && (await deps.homeOf({ ...person, channelId })).teamId === teamId;
  }

  async function mutedIn(channels: readonly Channel[]) {
    const byWorkspace = [...Map.groupBy(channels, ({ teamId }) => teamId).values()];
    const muted = byWorkspace.map(async (of) => {
      const [workspace] = of;
      const ids = of.map(({ channelId }) => channelId);
      return workspace ? deps.listExclusions(workspace, ids) : [];
    });
    return (await Promise.all(muted)).flat();
  }

  return {
    /** Shows the tab to a person who clicked in it. */
    async show(person: SlackPerson, page = 0): Promise<void> {
      watch(keyOf(person));
      await show(person, page);
    },

    /**
     * Shows the tab to a person who opened it. Nothing limits how often a person can do that, so however often it was opened while it is
     * being drawn, it is drawn once more.
     */
    opened(person: SlackPerson): Promise<void> {
      const key = keyOf(person);
      watch(key);
      const drawn =
        toDraw.get(key) ??
        oneAtATime(key, () => {
          toDraw.delete(key);
          return show(person, 0);
        });
      toDraw.set(key, drawn);
      return drawn;
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
  return [...Map.groupBy(rows, channelKey).values()].flat();
}

function keyOf({ teamId, userId }: SlackPerson): string {
  return `${teamId}/${userId}`;
}
