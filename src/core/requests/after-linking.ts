import type { CommandContext } from '../access/command-context.ts';
import type { AskedBefore, CarryOut } from '../linking/follow-up.ts';
import type { SlackPerson } from '../model/people.ts';
import type { CarryOutRequest } from './carry-out.ts';

type AfterLinkingDeps = {
  readonly refreshHome: (person: SlackPerson) => Promise<void>;
  /** Starts resuming what waits for this person's link, without waiting until it is done. */
  readonly resumeSoon: (person: SlackPerson) => void;
  readonly carryOut: CarryOutRequest;
  readonly contextFrom: (facts: {
    readonly person: SlackPerson;
    readonly channelId: string | null;
    readonly madeInChannel: boolean;
    readonly responseUrl: string | null;
  }) => CommandContext;
  /** Runs work in the background; a failure is reported to the person who asked. */
  readonly inBackground: (context: CommandContext, work: () => Promise<void>) => void;
};

/** Carries out what a person asked for before they linked, and resumes what waited for their link. */
export function makeAfterLinking(deps: AfterLinkingDeps): CarryOut {
  return async ({ person, takeAsked }) => {
    await deps.refreshHome(person);
    // Only now: what is taken is carried out once, or not at all if the process dies.
    carryOutNext(person, await takeAsked());
  };

  /** Carries out one after the other, since a later command can be about what an earlier one makes. */
  function carryOutNext(person: SlackPerson, [next, ...rest]: readonly AskedBefore[]): void {
    // Resumed after the requests, so both do not set up the same subscription.
    if (next === undefined) {
      deps.resumeSoon(person);
      return;
    }
    const { request, ...facts } = next;
    // Whether they are in the channel was checked when they asked.
    const context = deps.contextFrom({ person, madeInChannel: true, ...facts });
    deps.inBackground(context, () =>
      deps.carryOut(context, request).finally(() => carryOutNext(person, rest)),
    );
  }
}
