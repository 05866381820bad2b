import type { Audit } from '../../store/tables/audit.ts';
import type { AuditAct } from '../model/audit-act.ts';
import type { Clock } from '../model/clock.ts';
import type { CommandContext } from './command-context.ts';

/** Records in the audit log what a person did, and to what. Has no other effect. */
export type WriteAudit = (context: CommandContext, act: AuditAct, subject: string) => Promise<void>;

export type WriteAuditDeps = {
  readonly clock: Clock;
  readonly audit: Pick<Audit, 'note'>;
  /** Called for each action after it was recorded. */
  readonly written: (
    context: CommandContext,
    entry: { readonly act: string; readonly subject: string },
  ) => void;
};

export function makeWriteAudit(deps: WriteAuditDeps): WriteAudit {
  return async (context, act, subject) => {
    const { person, channelId } = context;
    await deps.audit.note({ ...person, channelId, act, subject }, deps.clock.now());
    deps.written(context, { act, subject });
  };
}
