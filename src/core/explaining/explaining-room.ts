import { makeCheckChannel } from './check-channel.ts';
import { makeCheckSubscription } from './check-subscription.ts';
import { makeDescribeTraces } from './describe-traces.ts';
import { makeDoctor } from './doctor.ts';
import type { ExplainingRoomDeps } from './explaining-deps.ts';
import { makeReplayDeadLetters } from './replay-dead-letters.ts';
import { makeWhy } from './why.ts';

export type ExplainingRoom = ReturnType<typeof makeExplainingRoom>;

/** Composes the answers to why something was or was not posted, whether all is well, and what a person can do about it. */
export function makeExplainingRoom(deps: ExplainingRoomDeps) {
  const checks = {
    checkChannel: makeCheckChannel(deps),
    checkSubscription: makeCheckSubscription(deps),
  };
  const describeTraces = makeDescribeTraces(deps);
  const why = makeWhy({ ...deps, ...checks, describeTraces });
  const doctor = makeDoctor({ ...deps, ...checks, replay: makeReplayDeadLetters(deps) });
  return { why, doctor, bareVerbs: { why: why.ofChannel, doctor: doctor.report } };
}
