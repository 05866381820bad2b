import type { Audit } from '../../store/tables/audit.ts';
import type { WriteAudit } from '../access/write-audit.ts';
import type { InTransaction } from '../upstream/in-transaction.ts';
import { type CheckChannelDeps, makeCheckChannel } from './check-channel.ts';
import { type CheckSubscriptionDeps, makeCheckSubscription } from './check-subscription.ts';
import { type DescribeTracesDeps, makeDescribeTraces } from './describe-traces.ts';
import { type DoctorDeps, makeDoctor } from './doctor.ts';
import { makeReplayDeadLetters } from './replay-dead-letters.ts';
import { makeWhy, type WhyDeps } from './why.ts';

type ExplainingRoomDeps = CheckChannelDeps &
  CheckSubscriptionDeps &
  DescribeTracesDeps &
  Omit<DoctorDeps, 'checkChannel' | 'checkSubscription' | 'replay' | 'audit'> &
  Omit<WhyDeps, 'checkChannel' | 'checkSubscription' | 'describeTraces' | 'audit'> & {
    readonly inTransaction: InTransaction;
    readonly audit: WriteAudit;
    readonly audited: Pick<Audit, 'lastTo'>;
  };

export type ExplainingRoom = ReturnType<typeof makeExplainingRoom>;

/** Composes the answers to why something was or was not posted, whether all is well, and what a person can do about it. */
export function makeExplainingRoom(deps: ExplainingRoomDeps) {
  const checks = {
    checkChannel: makeCheckChannel(deps),
    checkSubscription: makeCheckSubscription(deps),
  };
  const describeTraces = makeDescribeTraces(deps);
  const why = makeWhy({ ...deps, ...checks, audit: deps.audited, describeTraces });
  const doctor = makeDoctor({ ...deps, ...checks, replay: makeReplayDeadLetters(deps) });
  return { why, doctor, bareVerbs: { why: why.ofChannel, doctor: doctor.report } };
}
