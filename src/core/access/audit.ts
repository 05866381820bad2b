import type { AuditAct, AuditLine } from '../../messages/admin/audit.ts';
import * as audit from '../../store/tables/audit.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import {
  type AuditDetail,
  contextFields,
  type LoggedSubscription,
  subscriptionFields,
} from '../model/log-fields.ts';
import type { Workspace } from '../model/people.ts';
import { subscribedOf } from '../model/subscription.ts';
import type { CommandContext } from './command-context.ts';
import { namesOf } from './people-names.ts';

/** Who acts, in which conversation, and what that changes if the subject does not say it. */
type Actor = Pick<CommandContext, 'person' | 'channelId'> & { readonly detail?: AuditDetail };

/** The log's word for some of the audit log's actions. */
const loggedAs: Partial<Readonly<Record<AuditAct, string>>> = {
  link: 'linked',
  unlink: 'unlinked',
  subscribe: 'subscribed',
  'change subscription': 'changed',
  unsubscribe: 'removed',
  'pause subscription': 'paused',
  'resume subscription': 'resumed',
};

/** Records in the audit log what a person did, and logs it; in a transaction, together with that. `subject`: the id of what changed. */
export async function writeAudit(
  { db, clock, log }: Bot,
  { person, channelId, detail }: Actor,
  act: AuditAct,
  subject: string,
): Promise<void> {
  await audit.note(db, { ...person, channelId, act, subject, detail }, clock.now());
  const named = loggedAs[act];
  const where = contextFields({ person, channelId });
  if (named === undefined) log.info({ ...where, act }, 'audited action');
  else if (act === 'link' || act === 'unlink') log.info({ ...where, link: subject }, named);
  else log.info({ ...where, subscription: subject }, named);
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns entries of a workspace's audit log. `asShown` gives subscriptions the names that the reader may be shown. */
export async function auditLinesOf(
  bot: Bot,
  workspace: Workspace,
  entries: readonly audit.ListedAudit[],
  asShown = async (rows: readonly Subscription[]) => rows,
): Promise<readonly AuditLine[]> {
  const people = entries.flatMap(({ userId }) => userId ?? []);
  const names = await namesOf(bot, workspace, people);
  const subjects = new Set(
    entries.flatMap(({ subject }) => (subject && uuid.test(subject) ? [subject] : [])),
  );
  const found = await Promise.all([...subjects].map((id) => subscriptions.byId(bot.db, id)));
  const shown = await asShown(found.flatMap((row) => row ?? []));
  const rows = new Map(shown.map((row) => [row.id, row]));
  return entries.map(({ teamId, userId, subject, ...entry }) => {
    const row = rows.get(subject ?? '');
    return {
      ...entry,
      by: userId === null ? null : { userId, name: names.get(userId) ?? userId },
      subscribed: row?.teamId === teamId ? subscribedOf(row) : null,
    };
  });
}

/** Ends subscriptions for another reason than a person's command, such as a deleted resource, and logs each. Returns those that had not ended. */
export async function endFor(
  { db, clock, log }: Bot,
  ids: readonly string[],
  reason: string,
): Promise<Subscription[]> {
  const rows = await subscriptions.end(db, ids, reason, clock.now());
  logRemoved(log, rows, reason);
  return rows;
}

/** Logs subscriptions that ended because of something other than a person's command. */
export function logRemoved(
  log: Pick<Bot['log'], 'info'>,
  rows: readonly LoggedSubscription[],
  reason: string,
): void {
  for (const row of rows) log.info({ ...subscriptionFields(row), reason }, 'removed');
}
