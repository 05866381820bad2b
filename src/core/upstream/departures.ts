import { dayMs, hourMs, later, minuteMs } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import { makeSlots } from '../../lib/later.ts';
import { whileAlone } from '../../store/locks.ts';
import * as departedRows from '../../store/tables/departed-rows.ts';
import type { Departure } from '../../store/tables/departures.ts';
import * as departures from '../../store/tables/departures.ts';
import { makeRecords } from '../../store/tables/keyv-records.ts';
import * as links from '../../store/tables/links.ts';
import * as obstacles from '../../store/tables/obstacles.ts';
import * as remotes from '../../store/tables/remotes.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { endFor } from '../access/audit.ts';
import type { Bot } from '../bot.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import type { Workspace } from '../model/people.ts';
import type { InstallationState } from '../slack.ts';
import { releaseLink, removeLink, tokensKeptMs } from './unlink.ts';

/*
 * Removes everything of a workspace or organization that uninstalled the bot: first remote subscriptions, while there are tokens to
 * remove them with, then links and tokens, then every row. Progress is stored in `departures`, so any process can resume what another
 * one started, and events that are repeated, late or concurrent start nothing new. Once a workspace has reinstalled the bot, it is left
 * alone.
 */

/** How long after an uninstall Slack may still accept the token. Undocumented, so this is long. */
const stillAcceptedMs = 10 * minuteMs;
const purgeEveryMs = 50 * minuteMs;
/** Turns and chores in progress may still write rows. Removal ends within 24 hours, with an hour to spare in case the bot is down. */
const overAfterMs = 22 * hourMs;
/** The service's limits are not documented. */
const ownersAtOnce = 4;
/** Each run holds one of the pool's connections. */
const runsAtOnce = 3;

const since = ({ clock }: Bot, then: Date): number => clock.now().getTime() - then.getTime();
/** Until when links and tokens are kept, whatever the service does. */
const keptUntil = ({ notedAt, installedAt }: Departure): Date => later(installedAt ?? notedAt, tokensKeptMs);
const isOverdue = ({ clock }: Bot, departure: Departure): boolean => clock.now() >= keptUntil(departure);
const isOrganization = ({ id, enterpriseId }: Departure): boolean => id === enterpriseId;

/** Stores that an installation was removed, and starts the removal. An organization's event may name any of its workspaces. */
export async function uninstalled(
  bot: Bot,
  { teamId, enterpriseId }: Workspace,
  leftAt: Date,
): Promise<void> {
  const isTheirs = enterpriseId !== null && !(await bot.slack.isInstalled(teamId));
  const id = isTheirs && (await bot.slack.isInstalled(enterpriseId)) ? enterpriseId : teamId;
  await left(bot, { id, enterpriseId, cause: 'uninstalled', leftAt });
}

/** Stores that an organization revoked its installation's access to workspaces, and starts the removal. */
export async function accessRevoked(bot: Bot, workspaces: readonly Workspace[], leftAt: Date): Promise<void> {
  for (const { teamId: id, enterpriseId } of workspaces)
    await left(bot, { id, enterpriseId, cause: 'access revoked', leftAt });
}

/** Resumes all unfinished departures, organizations first. Runs every minute. */
export async function resumeDepartures(bot: Bot): Promise<void> {
  const slots = makeSlots(runsAtOnce);
  const unfinished = await departures.unfinished(bot.db);
  await Promise.all(unfinished.map(({ id }) => slots(() => run(bot, id))));
  // Those that an event has started in this process.
  await bot.later.settled();
}

async function left(bot: Bot, departure: departures.NewDeparture, now = bot.clock.now()): Promise<void> {
  await departures.note(bot.db, departure, now);
  bot.later.run(() => run(bot, departure.id), 'an uninstall was interrupted');
}

/** Runs one departure, in one process at a time. A failure is logged, and the next minute's run resumes it. */
async function run(bot: Bot, id: string): Promise<void> {
  try {
    if (!bot.later.isStopping()) await whileAlone(bot.db, `departure ${id}`, () => resume(bot, id));
  } catch (error) {
    bot.log.error({ err: error, team: id }, 'an uninstall was interrupted; it resumes within a minute');
  }
}

async function resume(bot: Bot, id: string): Promise<void> {
  const { db, clock, log } = bot;
  const noted = await departures.byId(db, id);
  if (noted === null || (noted.purgedAt !== null && since(bot, noted.purgedAt) < purgeEveryMs)) return;
  const departure = await stillGone(bot, id);
  if (departure === null) return;
  if (departure.confirmedAt === null) {
    await departures.done(db, id, 'confirmedAt', clock.now());
    log.info({ team: id, enterprise: departure.enterpriseId ?? undefined }, 'uninstalled');
  }
  // Also if they were removed before: a command that was under way may have stored a subscription since.
  const isLeft = await (isOrganization(departure) ? leaveOrganization : leaveWorkspace)(bot, departure);
  if (isLeft) await purge(bot, departure);
}

/** Returns the departure if the bot is certainly not installed there. One that was never real or was undone is deleted. */
async function stillGone(bot: Bot, id: string): Promise<Departure | null> {
  const { db, clock, log } = bot;
  const departure = await departures.byId(db, id);
  if (departure === null) return null;
  const state = await stateOf(bot, departure);
  if (state === 'installed') {
    // Slack may accept a token for a moment after the uninstall, and does not send the event again, so the next minutes' runs ask again.
    if (since(bot, departure.leftAt) < stillAcceptedMs)
      await departures.noteInstalled(db, departure, clock.now());
    else {
      await departures.end(db, departure);
      log.info({ team: id }, 'ignored an uninstall: the bot is installed');
    }
    return null;
  }
  if (state !== 'unknown' || departure.confirmedAt !== null) return departure;
  // Slack signed the event: believe it if Slack does not contradict it in time, and never has.
  return departure.installedAt === null && isOverdue(bot, departure) ? departure : null;
}

/** A workspace without a valid installation of its own may still be covered by its organization's, if that was granted access to it. */
async function stateOf(bot: Bot, departure: Departure): Promise<InstallationState> {
  const { slack } = bot;
  const { id, enterpriseId, leftAt } = departure;
  const own = await slack.installationState(id, leftAt);
  if (own === 'gone') await slack.forgetInstallation(id, leftAt);
  if (enterpriseId === null || isOrganization(departure)) return own;
  const organization = await slack.installationState(enterpriseId, leftAt);
  if (organization === 'gone') await left(bot, { ...departure, id: enterpriseId, cause: 'uninstalled' });
  if (own === 'installed' || own === 'unknown') return own;
  return organization === 'installed' ? slack.access(enterpriseId, id) : organization;
}

/** Starts a departure for each workspace of the organization, except those with their own installation, which get their own event. */
async function leaveOrganization(bot: Bot, departure: Departure): Promise<boolean> {
  const { db, slack, clock, log } = bot;
  const { id, leftAt, notedAt } = departure;
  const workspaces = await departures.workspacesOf(db, id);
  for (const { teamId } of workspaces) {
    if (await slack.isInstalled(teamId)) continue;
    await left(bot, { id: teamId, enterpriseId: id, cause: 'uninstalled', leftAt }, notedAt);
  }
  await slack.forgetInstallation(id, leftAt);
  await departures.done(db, id, 'tokensRemovedAt', clock.now());
  if (departure.tokensRemovedAt === null)
    log.info({ team: id, workspaces: workspaces.length }, 'removed the installation of an organization');
  return true;
}

/** Returns whether links and tokens are deleted; if not, the next minute's run tries again. */
async function leaveWorkspace(bot: Bot, departure: Departure): Promise<boolean> {
  const { db, slack, clock, log } = bot;
  const { id } = departure;
  const workspace = { teamId: id, enterpriseId: departure.enterpriseId };
  const live = await subscriptions.ofWholeWorkspace(db, workspace);
  const ids = live.map((row) => row.id);
  await endFor(bot, ids, 'uninstalled');
  await remotes.loseInterrupted(db, clock.now());
  await release(bot, departure);
  const remaining = await remotes.ofWorkspace(db, id);
  if (remaining.length > 0 && !isOverdue(bot, departure)) return false;
  // The service may have taken minutes, so check again.
  if (bot.later.isStopping() || (await stillGone(bot, id)) === null) return false;
  for (const { serviceId, subscriptionId } of remaining) {
    const row = await subscriptions.byId(db, subscriptionId);
    log.warn(
      { ...(row ? subscriptionFields(row) : { team: id }), record: serviceId ?? undefined },
      'a remote subscription stays at the service after an uninstall',
    );
  }
  const remainingIds = remaining.map((remote) => remote.id);
  await remotes.deleted(db, remainingIds, clock.now());
  for (const link of await links.ofWorkspace(db, workspace)) {
    const other = await remotes.otherWorkspaceOf(db, link);
    await (other ? links.moveTo(db, link.id, other) : removeLink(bot, link));
  }
  await slack.forgetInstallation(id, departure.leftAt);
  await departures.done(db, id, 'tokensRemovedAt', clock.now());
  if (departure.tokensRemovedAt === null)
    log.info(
      { team: id, subscriptions: live.length, records: remaining.length },
      'removed the links and tokens of a workspace',
    );
  return true;
}

/** Deletes at the service what stands there for a workspace, some owners at a time. */
async function release(bot: Bot, departure: Departure): Promise<void> {
  const { id: teamId } = departure;
  const slots = makeSlots(ownersAtOnce);
  const there = await remotes.ofWorkspace(bot.db, teamId);
  const ids = new Set(there.map(({ id }) => id));
  const linkIds = new Set(there.flatMap(({ linkId }) => linkId ?? []));
  await Promise.all(
    [...linkIds].map((linkId) =>
      slots(async () => {
        try {
          const link = await links.byId(bot.db, linkId);
          if (link !== null) await releaseLink(bot, link, keptUntil(departure), ({ id }) => ids.has(id));
        } catch (error) {
          bot.log.warn({ err: error, team: teamId }, 'could not remove a remote subscription');
        }
      }),
    ),
  );
}

/** Deletes the rows that exist now. Repeated every hour until no process can add any more. */
async function purge(bot: Bot, departure: Departure): Promise<void> {
  const { db, clock } = bot;
  const { id, notedAt } = departure;
  const isGone = async () => !bot.later.isStopping() && (await stillGone(bot, id)) !== null;
  if (!(await departedRows.forget(db, id, isGone))) return;
  if (since(bot, notedAt) < overAfterMs) return departures.purged(db, id, clock.now());
  await departedRows.forgetSubscriptions(db, id);
  await departures.end(db, departure);
}

/** Long enough for a fault of Slack's to end, or for the event to arrive: Slack repeats it for up to a day. */
const believedAfterMs = dayMs;
/** How long it is remembered since when Slack has refused a token. Forgotten if no check follows in time. */
const refusedSince = { namespace: 'refused-tokens', ttlMs: 3 * hourMs };

/**
 * Finds workspaces that uninstalled the bot although Slack's event never arrived. Only those can be meant in which Slack has refused to
 * post. A token that Slack says is gone at every check of a day counts as uninstalled. Runs every hour.
 */
export async function findLostUninstalls(bot: Bot): Promise<void> {
  const channels = await obstacles.channelsClosedFor(bot.db, 'workspace access');
  await forEachRow(
    new Map(channels.map(({ enterpriseId, teamId }) => [teamId, { enterpriseId, teamId }])).values(),
    (workspace) => check(bot, workspace),
    (error, { teamId: team }) => bot.log.warn({ err: error, team }, 'could not check for a lost uninstall'),
  );
}

async function check(bot: Bot, workspace: Workspace): Promise<void> {
  const { teamId: team } = workspace;
  const refused = makeRecords<number>({ keyv: bot.keyv, ...refusedSince });
  if (!(await bot.slack.isRevoked(workspace))) return refused.delete(team);
  const now = bot.clock.now().getTime();
  const since = (await refused.get(team)) ?? now;
  await refused.set(team, since);
  if (now - since < believedAfterMs) return;
  bot.log.info({ team }, 'Slack has refused the token for a day, so the bot counts as uninstalled');
  await uninstalled(bot, workspace, new Date(since));
}
