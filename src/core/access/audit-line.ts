import type { AuditLine } from '../../messages/admin/audit.ts';
import type { ListedAudit } from '../../store/tables/audit.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import { namesOf, type Workspace } from '../model/people.ts';
import { subscribedOf } from '../model/subscription.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns entries of a workspace's audit log with who did it and what it was done to.
 *
 * @param asShown returns subscriptions with the names that the reader may be shown
 */
export async function auditLinesOf(
  { db, slack }: Bot,
  workspace: Workspace,
  entries: readonly ListedAudit[],
  asShown = async (rows: readonly Subscription[]) => rows,
): Promise<readonly AuditLine[]> {
  const people = entries.flatMap(({ userId }) => (userId === null ? [] : [{ ...workspace, userId }]));
  const names = await namesOf(slack.profileOf, people);
  const subjects = new Set(
    entries.flatMap(({ subject }) => (subject && uuid.test(subject) ? [subject] : [])),
  );
  const found = await Promise.all([...subjects].map((id) => subscriptions.byId(db, id)));
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
