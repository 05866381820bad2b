import { makeBackground } from '../../lib/background.ts';
import { hourMs, minuteMs } from '../../lib/durations.ts';
import { makeSlots } from '../../lib/slots.ts';
import { whileAlone } from '../../store/advisory-lock.ts';
import type { Departure, NewDeparture } from '../../store/tables/departures.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import { endFor } from '../access/change-state.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import { ownerOf, type Workspace } from '../model/people.ts';
import type { InstallationState } from '../slack.ts';
import type { Checked } from './reconcile.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamRoomDeps } from './upstream-deps.ts';

type DeparturesDeps = UpstreamRoomDeps & {
  readonly upstream: Pick<Upstream, 'release'>;
  readonly reconcileLink: (linkId: string) => Promise<Checked>;
};

export type Departing = ReturnType<typeof makeDepartures>;

/** Links and tokens are deleted within 5 minutes whatever the service does; the rest is retried once a minute. */
const tokensKeptMs = 4 * minuteMs;
/** How long after an uninstall Slack may still accept the token. Undocumented, so this is long. */
const stillAcceptedMs = 10 * minuteMs;
/** If a subscription ended while its remote one was being created, that one exists after this long, or never will. */
const beingMadeMs = 2 * minuteMs;
const purgeEveryMs = 50 * minuteMs;
/** Turns and chores in progress may still write rows. Removal ends within 24 hours, with an hour to spare in case the bot is down. */
const overAfterMs = 22 * hourMs;
/** The service's limits are not documented. */
const ownersAtOnce = 4;
/** Each run holds one of the pool's connections. */
const runsAtOnce = 3;

/**
 * Removes everything of a workspace or organization that uninstalled the bot: first remote subscriptions, while there are tokens to
 * remove them with, then links and tokens, then every row. Progress is stored in `departures`, so any process can resume what another
 * one started, and events that are repeated, late or concurrent start nothing new. Once a workspace has reinstalled the bot, it is left
 * alone.
 */
export function makeDepartures(deps: DeparturesDeps) {
  const { bot, clock, departures, departedRows, subscriptions, links, log } = deps;
  const slots = makeSlots(runsAtOnce);
  const releaseSlots = makeSlots(ownersAtOnce);
  const { track, settled } = makeBackground();
  let stopping = false;

  const since = (then: Date): number => clock.now().getTime() - then.getTime();
  const isOverdue = ({ notedAt, installedAt }: Departure): boolean =>
    since(installedAt ?? notedAt) >= tokensKeptMs;

  /** Runs one departure, in one process at a time. A failure is logged, and the next minute's run resumes it. */
  async function run(id: string): Promise<void> {
    try {
      await slots(async () => {
        if (!stopping) await whileAlone(bot.db, `departure ${id}`, () => resume(id));
      });
    } catch (error) {
      log.error({ err: error, team: id }, 'an uninstall was interrupted; it resumes within a minute');
    }
  }

  async function resume(id: string): Promise<void> {
    const noted = await departures.byId(id);
    if (noted === null || (noted.purgedAt !== null && since(noted.purgedAt) < purgeEveryMs)) return;
    const departure = await stillGone(id);
    if (departure === null) return;
    if (departure.confirmedAt === null) {
      await departures.done(id, 'confirmedAt', clock.now());
      log.info({ team: id, enterprise: departure.enterpriseId ?? undefined }, 'uninstalled');
    }
    if (departure.tokensRemovedAt !== null || (await removeTokens(departure))) await purge(departure);
  }

  /** Returns the departure if the bot is certainly not installed there. One that was never real or was undone is deleted. */
  async function stillGone(id: string): Promise<Departure | null> {
    const departure = await departures.byId(id);
    if (departure === null) return null;
    const state = await stateOf(departure);
    if (state === 'installed') {
      // Slack may accept a token for a moment after the uninstall, and does not send the event again, so the next minutes' runs ask again.
      if (since(departure.leftAt) < stillAcceptedMs) await departures.noteInstalled(departure, clock.now());
      else {
        await departures.end(departure);
        log.info({ team: id }, 'ignored an uninstall: the bot is installed');
      }
      return null;
    }
    if (state !== 'unknown' || departure.confirmedAt !== null) return departure;
    // Slack signed the event: believe it if Slack does not contradict it in time, and never has.
    return departure.installedAt === null && isOverdue(departure) ? departure : null;
  }

  /** A workspace without a valid installation of its own may still be covered by its organization's. */
  async function stateOf(departure: Departure): Promise<InstallationState> {
    const { id, enterpriseId, cause, leftAt } = departure;
    const own = await deps.installationState(id, leftAt);
    if (own === 'gone') await deps.forgetInstallation(id, leftAt);
    if (enterpriseId === null || isOrganization(departure)) return own;
    const organization = await deps.installationState(enterpriseId, leftAt);
    if (organization === 'gone') await left({ ...departure, id: enterpriseId, cause: 'uninstalled' });
    if (own === 'installed' || own === 'unknown') return own;
    return organization === 'installed' && cause === 'access revoked'
      ? deps.access(enterpriseId, id)
      : organization;
  }

  async function left(departure: NewDeparture, now = clock.now()): Promise<void> {
    await departures.note(departure, now);
    void track(run(departure.id));
  }

  const removeTokens = (departure: Departure): Promise<boolean> =>
    isOrganization(departure) ? leaveOrganization(departure) : leaveWorkspace(departure);

  /** Starts a departure for each workspace of the organization, except those with their own installation, which get their own event. */
  async function leaveOrganization({ id, leftAt, notedAt }: Departure): Promise<boolean> {
    const workspaces = await departures.workspacesOf(id);
    for (const { teamId } of workspaces) {
      if (await deps.isInstalled(teamId)) continue;
      await left({ id: teamId, enterpriseId: id, cause: 'uninstalled', leftAt }, notedAt);
    }
    await deps.forgetInstallation(id, leftAt);
    await departures.done(id, 'tokensRemovedAt', clock.now());
    log.info({ team: id, workspaces: workspaces.length }, 'removed the installation of an organization');
    return true;
  }

  /** Returns whether links and tokens are deleted; if not, the next minute's run tries again. */
  async function leaveWorkspace(departure: Departure): Promise<boolean> {
    const { id } = departure;
    const workspace = { teamId: id, enterpriseId: departure.enterpriseId };
    const live = await subscriptions.ofWholeWorkspace(workspace);
    await endFor(
      deps.bot,
      live.map((row) => row.id),
      'uninstalled',
    );
    await release(departure, await subscriptions.unreleasedOfWorkspace(workspace));
    const remaining = await subscriptions.unreleasedOfWorkspace(workspace);
    if (remaining.length > 0 && !isOverdue(departure)) return false;
    // The service may have taken minutes, so check again.
    if (stopping || (await stillGone(id)) === null) return false;
    for (const row of remaining) {
      const record = row.serviceSubscriptionId ?? row.previousServiceSubscriptionId;
      log.warn(
        { ...subscriptionFields(row), record },
        'a remote subscription stays at the service after an uninstall',
      );
    }
    for (const link of await links.ofWorkspace(workspace)) {
      const other = await subscriptions.otherWorkspaceOf(link);
      await (other ? links.moveTo(link.id, other) : links.remove(link.id));
    }
    await deps.forgetInstallation(id, departure.leftAt);
    await departures.done(id, 'tokensRemovedAt', clock.now());
    log.info(
      { team: id, subscriptions: live.length, records: remaining.length },
      'removed the links and tokens of a workspace',
    );
    return true;
  }

  async function release(departure: Departure, rows: readonly Subscription[]): Promise<void> {
    const byOwner = [...Map.groupBy(rows, ({ ownerUserId }) => ownerUserId).values()];
    await Promise.all(byOwner.map((owned) => releaseSlots(() => releaseOwned(departure, owned))));
  }

  async function releaseOwned(departure: Departure, rows: readonly Subscription[]): Promise<void> {
    for (const row of rows.filter(({ serviceSubscriptionId }) => serviceSubscriptionId !== null)) {
      if (stopping || isOverdue(departure)) return;
      await attempt(departure, () => deps.upstream.release(row));
    }
    const beingMade = rows.filter(
      ({ serviceSubscriptionId, endedAt }) =>
        serviceSubscriptionId === null && endedAt !== null && since(endedAt) >= beingMadeMs,
    );
    if (beingMade.length > 0) await attempt(departure, () => releaseBeingMade(beingMade));
  }

  /** Nobody knows their ids, so everything of ours that the service lists for their owner is removed. */
  async function releaseBeingMade(rows: readonly Subscription[]): Promise<void> {
    const [row] = rows;
    const link = row ? await links.of(ownerOf(row)) : null;
    if (link === null || (await deps.reconcileLink(link.id)) !== 'checked') return;
    for (const { id } of rows) await subscriptions.released(id, clock.now());
  }

  async function attempt({ id }: Departure, work: () => Promise<unknown>): Promise<void> {
    await work().catch((error: unknown) => {
      log.warn({ err: error, team: id }, 'could not remove a remote subscription');
    });
  }

  /** Deletes the rows that exist now. Repeated every hour until no process can add any more. */
  async function purge(departure: Departure): Promise<void> {
    const { id, notedAt } = departure;
    const isGone = async () => !stopping && (await stillGone(id)) !== null;
    if (!(await departedRows.forget(id, isGone))) return;
    if (since(notedAt) < overAfterMs) return departures.done(id, 'purgedAt', clock.now());
    await departedRows.forgetSubscriptions(id);
    await departures.end(departure);
  }

  return {
    /**
     * Stores that an installation was removed, and starts the removal. The event is stored when this returns.
     * @param workspace as the event names it; for an organization's installation it may be any of its workspaces
     */
    async uninstalled({ teamId, enterpriseId }: Workspace, leftAt: Date): Promise<void> {
      const isTheirs = enterpriseId !== null && !(await deps.isInstalled(teamId));
      const id = isTheirs && (await deps.isInstalled(enterpriseId)) ? enterpriseId : teamId;
      await left({ id, enterpriseId, cause: 'uninstalled', leftAt });
    },

    /** Stores that an organization revoked its installation's access to workspaces, and starts the removal. */
    async accessRevoked(workspaces: readonly Workspace[], leftAt: Date): Promise<void> {
      for (const { teamId: id, enterpriseId } of workspaces)
        await left({ id, enterpriseId, cause: 'access revoked', leftAt });
    },

    /** Stores that an organization granted access to workspaces again. */
    accessGranted: (workspaces: readonly Workspace[], at: Date): Promise<void> =>
      departures.endRevoked(
        workspaces.map(({ teamId }) => teamId),
        at,
      ),

    /** Resumes all unfinished departures. Runs every minute. */
    async resumeAll(): Promise<void> {
      for (const { id } of await departures.unfinished()) void track(run(id));
      await settled();
    },

    /** Waits for the running ones, which stop at their next step. */
    async stop(): Promise<void> {
      stopping = true;
      await settled();
    },
  };
}

function isOrganization({ id, enterpriseId }: Departure): boolean {
  return id === enterpriseId;
}
