import type { Audit } from '../../store/tables/audit.ts';
import type { Clock } from '../model/clock.ts';
import type { CommandContext } from './command-context.ts';

/** Writes to the audit what a person did, and to what. Nothing else follows from it. */
export type WriteAudit = (context: CommandContext, act: string, subject: string) => Promise<void>;

export function makeWriteAudit(deps: {
  readonly clock: Clock;
  readonly audit: Pick<Audit, 'note'>;
}): WriteAudit {
  return ({ person, channelId }, act, subject) =>
    deps.audit.note({ ...person, channelId, act, subject }, deps.clock.now());
}
