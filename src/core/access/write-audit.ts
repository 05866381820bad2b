import type { AuditAct } from '../../messages/admin/audit.ts';
import * as audit from '../../store/tables/audit.ts';
import type { Bot } from '../bot.ts';
import type { AuditDetail } from '../model/audit-act.ts';
import { contextFields } from '../model/log-fields.ts';
import type { CommandContext } from './command-context.ts';

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

/**
 * Records in the audit log what a person did, and to what, and logs it. `subject`: the id of what changed. Inside a transaction, an entry is
 * stored exactly if what it records is.
 */
export async function writeAudit(
  { db, clock, log }: Pick<Bot, 'db' | 'clock'> & { readonly log: Pick<Bot['log'], 'info'> },
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
