import { makeBackground } from '../../lib/background.ts';
import { dayMs, earlier } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import { makeSlots } from '../../lib/slots.ts';
import type { Remote } from '../../service/shapes.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { Link } from '../model/link.ts';
import { personFields, subscriptionFields } from '../model/log-fields.ts';
import { gridId, ownerOf, personOf, type SlackPerson } from '../model/people.ts';
import { serviceFailure } from '../model/service-error.ts';
import type { IsResting } from './call-service.ts';
import { makeRemoveStale, type RemoveStaleDeps } from './remove-stale.ts';
import { makeRepairSubscription, type RepairSubscriptionDeps } from './repair-subscription.ts';
import type { UpstreamRoomDeps } from './upstream-deps.ts';

type ReconcileDeps = RepairSubscriptionDeps &
  RemoveStaleDeps &
  Pick<UpstreamRoomDeps, 'links' | 'profileOf' | 'sleep'> & { readonly isResting: IsResting };

/**
 * The result of checking a link.
 * - `checked`: all of its subscriptions are in sync with the service, or it is known why not
 * - `link lost`: the service no longer accepts its tokens, and its subscriptions wait for the person
 * - `frozen`: the person is no longer a full member of the workspace
 * - `away`: the service did not answer
 * - `deferred`: it refused, or did not answer for every subscription; the next check tries again
 * - `busy`: another process is checking it; `gone`: there is no such link
 */
export type Checked = 'checked' | 'link lost' | 'frozen' | 'away' | 'deferred' | 'busy' | 'gone';

const linksAPage = 100;
/** Concurrent checks besides the hourly round. Each holds one of the pool's connections, and needs others as it runs. */
const linksAtOnce = 2;
/** Slack allows about 100 profile lookups a minute in a workspace (`users.info`), and commands need some of them. */
const betweenLinksMs = 700;
/** After this many consecutive links without an answer, the service is unavailable and the rest would fail too. */
const mostAwayInARow = 5;
/** After this many subscriptions of a link without an answer, the rest waits for the next check. */
const mostAwayOfLink = 3;
/** A replacement takes a minute at most; an older one was interrupted. */
const interruptedAfterMs = 120_000;
/** The most rows without a link, or with an interrupted replacement, that one round handles. */
const rowsARound = 500;
const triesToResume = { most: 5, everyMs: 3_000 };
const keepFrozenMs = 30 * dayMs;

/**
 * Keeps stored and remote subscriptions in sync. Missing remote ones are created again, those without a row are removed. A subscription whose
 * remote one cannot be created is paused or ended, with an announcement in its channel. Only remote subscriptions whose callback URL contains one
 * of this bot's tokens are touched; anything else in the person's account is not ours.
 *
 * Concurrent checks are harmless: only one process checks a link at a time, and a row is changed only if it is still as it was read.
 */
export function makeReconcile(deps: ReconcileDeps) {
  const { clock, links, subscriptions, service, callService, pauseOwned, log } = deps;
  const repair = makeRepairSubscription(deps);
  const removeStale = makeRemoveStale(deps);
  const slots = makeSlots(linksAtOnce);
  const { track, settled } = makeBackground();
  const soon = new Set<string>();
  let stopping = false;
  let round: Promise<void> | null = null;

  const alone = (linkId: string) => links.whileAlone(linkId, () => check(linkId));

  async function check(linkId: string): Promise<Checked> {
    const link = await links.byId(linkId);
    if (link === null) return 'gone';
    const rows = await rowsOf(link);
    const profile = await deps.profileOf(personOf(link)).catch(() => null);
    // If Slack does not say who the person is, the link stays as it is.
    if (profile === null && link.state === 'frozen') return 'frozen';
    if (profile !== null && profile.standing !== 'member') {
      await links.freeze(link.id, clock.now());
      await pauseOwned(link, running(rows), 'owner gone');
      return 'frozen';
    }
    if (link.state === 'frozen') await links.thaw(link.id);
    const checked = await checkAtService(link, rows).catch((error: unknown) => outcomeOf(link, error));
    if (checked === 'link lost') await pauseOwned(link, running(rows), 'link lost');
    return checked;
  }

  function outcomeOf(link: Link, error: unknown): Checked {
    const failure = serviceFailure(error);
    if (!failure) throw error;
    if (failure.kind === 'unauthorized') return 'link lost';
    log.warn({ ...personFields(link), link: link.id, failure: failure.forLog }, 'could not check a link');
    return failure.kind === 'unavailable' ? 'away' : 'deferred';
  }

  /** Reads the rows before the service lists its subscriptions, so none created in between is taken for missing. */
  async function rowsOf(link: Link): Promise<Subscription[]> {
    const rows = await subscriptions.ofOwner(link);
    const perhaps = rows.filter((row) => row.state !== 'pending' && row.serviceSubscriptionId === null);
    if (perhaps.length === 0) return rows;
    for (const { id } of perhaps) await cancelReplacement(id);
    return subscriptions.ofOwner(link);
  }

  function cancelReplacement(id: string): Promise<void> {
    const now = clock.now();
    return subscriptions.cancelInterruptedReplacement(id, earlier(now, interruptedAfterMs), now);
  }

  async function checkAtService(link: Link, rows: readonly Subscription[]): Promise<Checked> {
    const remotes = await callService(link.id, (token) => service.listSubscriptions(token));
    if (remotes === 'relink') return 'link lost';
    const stale = await removeStale(link, remotes);
    if (stale === 'link lost') return stale;
    const checked = await checkRows(link, rows, remotes);
    return checked === 'checked' && stale === 'incomplete' ? 'deferred' : checked;
  }

  async function checkRows(
    link: Link,
    rows: readonly Subscription[],
    remotes: readonly Remote[],
  ): Promise<Checked> {
    const byId = new Map(remotes.map((remote) => [remote.id, remote]));
    let away = 0;
    for (const row of inTurn(rows.filter(({ state }) => state !== 'pending'))) {
      if (stopping || away === mostAwayOfLink) return 'deferred';
      const next = await checkRow(link, row, byId);
      if (next === 'away') away += 1;
      else if (next !== 'continue') return next;
    }
    return away > 0 ? 'deferred' : 'checked';
  }

  /** A fault in one row must not keep the person's other rows from being checked. */
  async function checkRow(link: Link, row: Subscription, byId: ReadonlyMap<string, Remote>) {
    try {
      const { health, next } = await repair(link, row, byId);
      if (health) await subscriptions.noteHealth([{ id: row.id, health }]);
      return next;
    } catch (error) {
      if (serviceFailure(error)) throw error;
      log.warn({ err: error, link: link.id, ...subscriptionFields(row) }, 'could not check a subscription');
      return 'continue';
    }
  }

  /** Pauses what needs a link that its owner does not have. */
  async function pauseUnlinked(): Promise<void> {
    await forEachRow(
      byOwner(await subscriptions.withoutLink(rowsARound)),
      ({ owner, rows }) => pauseOwned(owner, rows, 'unlinked'),
      (error, { owner }) =>
        log.warn({ err: error, ...personFields(owner) }, 'could not pause subscriptions without a link'),
    );
  }

  async function walk(): Promise<void> {
    let awayInARow = 0;
    for await (const link of allLinks()) {
      if (stopping) return;
      if (deps.isResting(link.id)) continue;
      const checked = await alone(link.id).catch((error: unknown): Checked => {
        log.warn({ err: error, ...personFields(link), link: link.id }, 'could not check a link');
        return 'deferred';
      });
      awayInARow = checked === 'away' ? awayInARow + 1 : 0;
      if (awayInARow === mostAwayInARow) return log.warn({}, 'the service is unavailable: check ended');
    }
    await pauseUnlinked();
    await links.removeFrozen(earlier(clock.now(), keepFrozenMs));
  }

  async function* allLinks(): AsyncGenerator<Link> {
    let page = await links.after(null, linksAPage);
    let isFirst = true;
    for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
      for (const link of page) {
        if (!isFirst) await deps.sleep(betweenLinksMs);
        isFirst = false;
        yield link;
      }
      page = await links.after(last.id, linksAPage);
    }
  }

  /** Syncs all of a link's subscriptions with the service. Throws errors that are not the service's. */
  function reconcileLink(link: Link | string): Promise<Checked> {
    const id = typeof link === 'string' ? link : link.id;
    return track(slots(() => alone(id)));
  }

  /** Checks one link after the other. A call during a round joins it. */
  function reconcileAll(): Promise<void> {
    round ??= track(walk()).finally(() => {
      round = null;
    });
    return round;
  }

  /**
   * Checks a link without waiting for it. Further calls for the link until then do nothing. A link that the service has asked to leave alone
   * is left to the hourly round.
   */
  function checkSoon(linkId: string): void {
    if (soon.has(linkId) || deps.isResting(linkId)) return;
    soon.add(linkId);
    const done = reconcileLink(linkId)
      .catch((error: unknown) => log.warn({ err: error, link: linkId }, 'could not check a link'))
      .finally(() => soon.delete(linkId));
    void track(done);
  }

  async function resume(person: SlackPerson): Promise<void> {
    const link = await links.of(person);
    for (let left = triesToResume.most; link !== null && left > 0 && !stopping; left--) {
      // The process that is checking the link may have started with its old tokens.
      if ((await reconcileLink(link)) !== 'busy') return;
      await deps.sleep(triesToResume.everyMs);
    }
  }

  return {
    reconcileLink,
    reconcileAll,
    checkSoon,
    pauseUnlinked,

    /** Resumes what waits for a person who has linked. Returns at once; the next round handles failures. */
    resumeSoon(person: SlackPerson): void {
      const done = resume(person).catch((error: unknown) =>
        log.warn(
          { err: error, ...personFields(person) },
          'could not resume the subscriptions of a person who linked',
        ),
      );
      void track(done);
    },

    /** Repairs replacements that a process left unfinished. Runs every minute. */
    async repairInterrupted(): Promise<void> {
      const before = earlier(clock.now(), interruptedAfterMs);
      await forEachRow(
        byOwner(await subscriptions.interrupted(before, rowsARound)),
        async ({ owner, rows }) => {
          const link = await links.of(owner);
          if (link) checkSoon(link.id);
          else for (const { id } of rows) await cancelReplacement(id);
        },
        (error, { owner }) =>
          log.warn({ err: error, ...personFields(owner) }, 'could not repair an interrupted replacement'),
      );
    },

    /** Settles once all running checks have ended. */
    settled,

    /** Stops starting checks, and settles once the running ones have ended. */
    async stop(): Promise<void> {
      stopping = true;
      await settled();
    },
  };
}

function running(rows: readonly Subscription[]): Subscription[] {
  return rows.filter(({ state }) => state === 'active');
}

/** Sorts what could not be repaired last time to the end, so that it does not keep others waiting, and else by when it was last checked. */
function inTurn(rows: readonly Subscription[]): Subscription[] {
  const hasFailed = ({ health }: Subscription) => Number((health?.failedChecks ?? 0) > 0);
  const checkedAt = ({ health }: Subscription) => health?.checkedAt ?? '';
  return rows.toSorted(
    (one, other) => hasFailed(one) - hasFailed(other) || checkedAt(one).localeCompare(checkedAt(other)),
  );
}

function byOwner(rows: readonly Subscription[]) {
  const owners = new Map<string, { readonly owner: SlackPerson; readonly rows: Subscription[] }>();
  for (const row of rows) {
    const key = `${gridId(row)} ${row.ownerUserId}`;
    const owned = owners.get(key) ?? { owner: ownerOf(row), rows: [] };
    owned.rows.push(row);
    owners.set(key, owned);
  }
  return [...owners.values()];
}
