import type { AuditLine } from '../../messages/admin/audit.ts';
import type { ListedAudit } from '../../store/tables/audit.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import { subscribedOf } from '../model/subscription.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns an entry of the audit log with what it was done to. `names`: of the people, by user id. */
export async function auditLineOf(
  { db }: Bot,
  { teamId, userId, subject, ...entry }: ListedAudit,
  names: ReadonlyMap<string, string>,
): Promise<AuditLine> {
  const row = subject !== null && uuid.test(subject) ? await subscriptions.byId(db, subject) : null;
  return {
    ...entry,
    by: userId === null ? null : { userId, name: names.get(userId) ?? userId },
    subscribed: row?.teamId === teamId ? subscribedOf(row) : null,
  };
}
