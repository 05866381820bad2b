import { hourMs, minuteMs } from '../../lib/durations.ts';
import type { Log } from '../../lib/log.ts';
import { makeSlots } from '../../lib/slots.ts';
import type { DepartedRows } from '../../store/tables/departed-rows.ts';
import type { Departure, Departures, NewDeparture } from '../../store/tables/departures.ts';
import type { Links } from '../../store/tables/links.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { Clock } from '../model/clock.ts';
import { ownerOf, type Workspace } from '../model/people.ts';
import type { Checked } from './reconcile.ts';
import type { Upstream } from './upstream.ts';

/** What became of an installation, as far as Slack says. `none`: there is none, or none any more. */
export type InstallationState = 'stands' | 'gone' | 'none' | 'unknown';

export type DeparturesDeps = {
  readonly clock: Clock;
  readonly departures: Departures;
  readonly departedRows: DepartedRows;
  readonly subscriptions: Pick<
    Subscriptions,
    'ofWholeWorkspace' | 'end' | 'unreleasedOfWorkspace' | 'otherWorkspaceOf' | 'released'
  >;
  readonly links: Pick<Links, 'of' | 'ofWorkspace' | 'moveTo' | 'remove'>;
  readonly upstream: Pick<Upstream, 'release'>;
  readonly reconcileLink: (linkId: string) => Promise<Checked>;
  /** Whether there is an installation, standing or not. */
  readonly isInstalled: (id: string) => Promise<boolean>;
  /** Whether an installation outlived an event of this time. */
  readonly standing: (id: string, leftAt: Date) => Promise<InstallationState>;
  /** Whether an organization gives its installation access to a workspace. */
  readonly access: (enterpriseId: string, teamId: string) => Promise<InstallationState>;
  /** Forgets an installation and its token, unless it was made after `leftAt`. */
  readonly forgetInstallation: (id: string, leftAt: Date) => Promise<void>;
  readonly log: Log;
};

/** Links and tokens are gone within 5 minutes whatever the service does; what is left is looked at once a minute. */
const tokensKeptMs = 4 * minuteMs;
/** A remote subscription that was being made when its subscription ended stands by then, or never will. */
const beingMadeMs = 2 * minuteMs;
const purgeEveryMs = 50 * minuteMs;
/** Turns and chores that were under way may still write. Over within 24 hours, with an hour to spare for a bot that was away. */
const overAfterMs = 22 * hourMs;
/** The service's limits are not documented. */
const ownersAtOnce = 4;
/** Each run holds one of the pool's connections. */
const runsAtOnce = 3;

/**
 * Ends all of a workspace or organization that removed the bot: remote subscriptions first, while there are tokens to remove them
 * with, then links and tokens, then every row. What was done is kept in `departures`, so any process resumes what another started, and an
 * event that is repeated, late, or beside another starts nothing new. A workspace that is installed again is left alone from then on.
 */
export function makeDepartures(deps: DeparturesDeps) {
  const { clock, departures, departedRows, subscriptions, links, log } = deps;
  const slots = makeSlots(runsAtOnce);
  const releaseSlots = makeSlots(ownersAtOnce);
  const underWay = new Set<Promise<void>>();
  let stopping = false;

  const since = (then: Date): number => clock.now().getTime() - then.getTime();
  const isOverdue = ({ notedAt }: Departure): boolean => since(notedAt) >= tokensKeptMs;

  /** One run a departure, over all processes. A failure is logged: the next minute resumes it. */
  async function run(id: string): Promise<void> {
    try {
      await slots(async () => {
        if (!stopping) await departures.whileAlone(id, () => resume(id));
      });
    } catch (error) {
      log.error({ err: error, team: id }, 'an uninstall was interrupted');
    }
  }

  async function resume(id: string): Promise<void> {
    const noted = await departures.byId(id);
    if (noted === null || (noted.purgedAt !== null && since(noted.purgedAt) < purgeEveryMs)) return;
    const departure = await goneStill(id);
    if (departure === null) return;
    if (departure.confirmedAt === null) await departures.done(id, 'confirmedAt', clock.now());
    if (departure.tokensRemovedAt !== null || (await removeTokens(departure))) await purge(departure);
  }

  /** The departure where the bot is certainly not installed there; one that was none, or was undone, is forgotten. */
  async function goneStill(id: string): Promise<Departure | null> {
    const departure = await departures.byId(id);
    if (departure === null) return null;
    const standing = await standingOf(departure);
    if (standing === 'stands') {
      await departures.end(departure);
      log.info({ team: id }, 'an uninstall was left alone: the bot is installed');
      return null;
    }
    // Slack signed the event, so it is believed where Slack gives no other answer in time.
    const isKnown = standing !== 'unknown' || departure.confirmedAt !== null || isOverdue(departure);
    return isKnown ? departure : null;
  }

  /** A workspace without a standing installation of its own may still be served by that of its organization. */
  async function standingOf(departure: Departure): Promise<InstallationState> {
    const { id, enterpriseId, cause, leftAt } = departure;
    const own = await deps.standing(id, leftAt);
    if (own === 'gone') await deps.forgetInstallation(id, leftAt);
    if (enterpriseId === null || isOrganization(departure)) return own;
    const organization = await deps.standing(enterpriseId, leftAt);
    if (organization === 'gone') await left({ ...departure, id: enterpriseId, cause: 'uninstalled' });
    if (own === 'stands' || own === 'unknown') return own;
    return organization === 'stands' && cause === 'access revoked'
      ? deps.access(enterpriseId, id)
      : organization;
  }

  async function left(those: NewDeparture, now = clock.now()): Promise<void> {
    await departures.note(those, now);
    start(those.id);
  }

  const removeTokens = (departure: Departure): Promise<boolean> =>
    isOrganization(departure) ? leaveOrganization(departure) : leaveWorkspace(departure);

  /** Each of its workspaces leaves by itself; one that has an installation of its own hears of that by itself. */
  async function leaveOrganization({ id, leftAt, notedAt }: Departure): Promise<boolean> {
    const workspaces = await departures.workspacesOf(id);
    for (const { teamId } of workspaces) {
      if (await deps.isInstalled(teamId)) continue;
      await left({ id: teamId, enterpriseId: id, cause: 'uninstalled', leftAt }, notedAt);
    }
    await deps.forgetInstallation(id, leftAt);
    await departures.done(id, 'tokensRemovedAt', clock.now());
    log.info({ team: id, workspaces: workspaces.length }, 'uninstalled from an organization');
    return true;
  }

  /** Returns whether links and tokens are gone; if not yet, it is asked again in a minute. */
  async function leaveWorkspace(departure: Departure): Promise<boolean> {
    const { id } = departure;
    const workspace = { teamId: id, enterpriseId: departure.enterpriseId };
    const live = await subscriptions.ofWholeWorkspace(workspace);
    await subscriptions.end(
      live.map((row) => row.id),
      'uninstalled',
      clock.now(),
    );
    await release(departure, await subscriptions.unreleasedOfWorkspace(workspace));
    const remaining = await subscriptions.unreleasedOfWorkspace(workspace);
    if (remaining.length > 0 && !isOverdue(departure)) return false;
    // The service may have taken minutes.
    if (stopping || (await goneStill(id)) === null) return false;
    for (const row of remaining) {
      const record = row.serviceSubscriptionId ?? row.previousServiceSubscriptionId;
      log.warn(
        { team: id, subscription: row.id, record },
        'a record stays at the service after an uninstall',
      );
    }
    for (const link of await links.ofWorkspace(workspace)) {
      const other = await subscriptions.otherWorkspaceOf(link);
      await (other ? links.moveTo(link.id, other) : links.remove(link.id));
    }
    await deps.forgetInstallation(id, departure.leftAt);
    await departures.done(id, 'tokensRemovedAt', clock.now());
    log.info({ team: id, subscriptions: live.length, records: remaining.length }, 'uninstalled');
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

  /** Their ids are known to nobody, so what the service lists for their owner is removed. */
  async function releaseBeingMade(rows: readonly Subscription[]): Promise<void> {
    const [row] = rows;
    const link = row ? await links.of(ownerOf(row)) : null;
    if (link === null || (await deps.reconcileLink(link.id)) !== 'checked') return;
    for (const { id } of rows) await subscriptions.released(id, clock.now());
  }

  async function attempt({ id }: Departure, work: () => Promise<unknown>): Promise<void> {
    await work().catch((error: unknown) => {
      log.warn({ err: error, team: id }, 'a record could not be removed at the service');
    });
  }

  /** Deletes what is there now; again each hour, until nothing can come any more. */
  async function purge(departure: Departure): Promise<void> {
    const { id, notedAt } = departure;
    const isGone = async () => !stopping && (await goneStill(id)) !== null;
    if (!(await departedRows.forget(id, isGone))) return;
    if (since(notedAt) < overAfterMs) return departures.done(id, 'purgedAt', clock.now());
    await departedRows.forgetSubscriptions(id);
    await departures.end(departure);
  }

  /** Does the rest without the caller waiting for it. */
  function start(id: string): void {
    const done = run(id).finally(() => underWay.delete(done));
    underWay.add(done);
  }

  return {
    /**
     * Notes that an installation was removed, and starts what follows. The event is stored when this returns.
     * @param workspace as the event names it: of an organization's installation that may be any of its workspaces
     */
    async uninstalled({ teamId, enterpriseId }: Workspace, leftAt: Date): Promise<void> {
      const isTheirs = enterpriseId !== null && !(await deps.isInstalled(teamId));
      const id = isTheirs && (await deps.isInstalled(enterpriseId)) ? enterpriseId : teamId;
      await left({ id, enterpriseId, cause: 'uninstalled', leftAt });
    },

    /** Notes that an organization took workspaces away from its installation, and starts what follows. */
    async accessRevoked(workspaces: readonly Workspace[], leftAt: Date): Promise<void> {
      for (const { teamId: id, enterpriseId } of workspaces)
        await left({ id, enterpriseId, cause: 'access revoked', leftAt });
    },

    /** Notes that an organization gave workspaces access again. */
    accessGranted: (workspaces: readonly Workspace[], at: Date): Promise<void> =>
      departures.endRevoked(
        workspaces.map(({ teamId }) => teamId),
        at,
      ),

    /** Resumes whatever is not over. For every minute. */
    async resumeAll(): Promise<void> {
      for (const { id } of await departures.all()) start(id);
      while (underWay.size > 0) await Promise.allSettled([...underWay]);
    },

    /** Waits for what is under way, which ends at its next step. */
    async stop(): Promise<void> {
      stopping = true;
      while (underWay.size > 0) await Promise.allSettled([...underWay]);
    },
  };
}

function isOrganization({ id, enterpriseId }: Departure): boolean {
  return id === enterpriseId;
}
