import type { PostOutcome } from './slack.ts';

/** Why a turn ends without a result. `throttled`: other lanes used up what their workspace can post; `part`: only a part of a summary was loaded; `unsettled`: see `isUnsettled`. */
export type GivenBackReason = 'fault' | 'throttled' | 'part' | 'unsettled' | 'empty';

/** How a refresh of tokens ended. `relink`: the person has to link again. */
type RefreshResult = 'refreshed' | 'relink' | 'failed';

/** What is counted of a turn: its events, by what became of them, and when those to post were accepted. */
export type CountedTurn = {
  readonly posted: readonly string[];
  readonly dropped: ReadonlyMap<string, readonly string[]>;
  readonly broken: ReadonlyMap<string, readonly string[]>;
  readonly acceptedAt: readonly Date[];
};

/** What core counts. */
export type CoreMetrics = {
  /** Counts a marked turn. `state` is the new state of the events in its message; null if there was no message. */
  readonly settled: (turn: CountedTurn, state: 'posted' | 'dead' | null, at: Date) => void;
  /** Counts a turn that ended without a result. */
  readonly givenBack: (reason: GivenBackReason) => void;
  /** Counts an attempt to post or edit a message. */
  readonly post: (outcome: PostOutcome['kind']) => void;
  /** Counts a refresh of tokens. */
  readonly refresh: (result: RefreshResult) => void;
};
