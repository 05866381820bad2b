import type { AuditLine } from '../../messages/admin/audit.ts';
import type { ListedAudit } from '../../store/tables/audit.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import { namesOf, type Workspace } from '../model/people.ts';
import { subscribedOf } from '../model/subscription.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns entries of a workspace's audit log with who did it and what it was done to. */
export async function auditLinesOf(
  { db, slack }: Bot,
  workspace: Workspace,
  entries: readonly ListedAudit[],
): Promise<readonly AuditLine[]> {
  const people = entries.flatMap(({ userId }) => (userId === null ? [] : [{ ...workspace, userId }]));
  const names = await namesOf(slack.profileOf, people);
  return Promise.all(
    entries.map(async ({ teamId, userId, subject, ...entry }) => {
      const row = subject !== null && uuid.test(subject) ? await subscriptions.byId(db, subject) : null;
      return {
        ...entry,
        by: userId === null ? null : { userId, name: names.get(userId) ?? userId },
        subscribed: row?.teamId === teamId ? subscribedOf(row) : null,
      };
    }),
  );
}
