import { type InstallURLOptions, InvalidStateError, type StateStore } from '@slack/oauth';

/** The state of an installation under way lives this long. */
const lifetimeMs = 600_000;

type Records = {
  readonly get: (key: string) => Promise<InstallURLOptions | undefined>;
  readonly set: (key: string, value: InstallURLOptions) => Promise<void>;
};

/**
 * States of installations, each good for one use: Bolt's own are signed tokens that can be used again while they live (seen in
 * @slack/oauth 4.0.0).
 * @param deps.take takes an id; false where it was taken before. Atomic, over all processes.
 */
export function makeStateStore(deps: {
  readonly records: Records;
  readonly take: (id: string, now: Date) => Promise<boolean>;
  readonly newState: () => string;
  readonly now: () => Date;
}): StateStore {
  return {
    async generateStateParam(installOptions) {
      const state = deps.newState();
      await deps.records.set(state, { ...installOptions, metadata: String(deps.now().getTime()) });
      return state;
    },

    async verifyStateParam(_now, state) {
      const options = await deps.records.get(state);
      const age = deps.now().getTime() - Number(options?.metadata);
      if (!options || !(age >= 0 && age <= lifetimeMs))
        throw new InvalidStateError('unknown or expired state');
      if (!(await deps.take(`install:${state}`, deps.now())))
        throw new InvalidStateError('state used before');
      return options;
    },
  };
}
