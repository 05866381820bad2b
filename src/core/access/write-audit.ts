import type { AuditAct } from '../model/audit-act.ts';
import type { AccessRoomDeps } from './access-deps.ts';
import type { CommandContext } from './command-context.ts';

/** Records in the audit log what a person did, and to what. Has no other effect. */
export type WriteAudit = (context: CommandContext, act: AuditAct, subject: string) => Promise<void>;

export function makeWriteAudit(deps: AccessRoomDeps): WriteAudit {
  return async (context, act, subject) => {
    const { person, channelId } = context;
    await deps.audited.note({ ...person, channelId, act, subject }, deps.clock.now());
    deps.written(context, { act, subject });
  };
}
