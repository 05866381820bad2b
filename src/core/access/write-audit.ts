import type { Audit } from '../../store/tables/audit.ts';
import type { AuditAct, AuditDetail } from '../model/audit-act.ts';
import type { Clock } from '../model/clock.ts';
import type { CommandContext } from './command-context.ts';

/** Who acts, in which conversation, and what that changes if the subject does not say it. */
type Actor = Pick<CommandContext, 'person' | 'channelId'> & { readonly detail?: AuditDetail };

/**
 * Records in the audit log what a person did, and to what. Has no other effect. Inside a transaction, an entry is stored exactly if what it
 * records is.
 */
export type WriteAudit = (actor: Actor, act: AuditAct, subject: string) => Promise<void>;

type WriteAuditDeps = {
  readonly clock: Clock;
  readonly audited: Pick<Audit, 'note'>;
  /** Called for each entry after it was written. */
  readonly written: (actor: Actor, entry: { readonly act: string; readonly subject: string }) => void;
};

export function makeWriteAudit({ clock, audited, written }: WriteAuditDeps): WriteAudit {
  return async ({ person, channelId, detail }, act, subject) => {
    await audited.note({ ...person, channelId, act, subject, detail }, clock.now());
    written({ person, channelId }, { act, subject });
  };
}
