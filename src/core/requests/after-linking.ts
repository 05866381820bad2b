import type { CommandContext } from '../access/command-context.ts';
import type { CarryOut } from '../linking/settle-link.ts';
import type { SlackPerson } from '../model/people.ts';
import type { CarryOutRequest } from './carry-out.ts';

export type AfterLinkingDeps = {
  readonly refreshHome: (person: SlackPerson) => Promise<void>;
  /** Resumes what waits for this person's link, without waiting for it. */
  readonly resumeSoon: (person: SlackPerson) => void;
  readonly carryOut: CarryOutRequest;
  readonly contextFrom: (facts: {
    readonly person: SlackPerson;
    readonly channelId: string | null;
    readonly responseUrl: string | null;
  }) => CommandContext;
  /** Works in the background; a failure is reported to the person who asked. */
  readonly inBackground: (context: CommandContext, work: () => Promise<void>) => void;
};

/** Does what a person had asked for before they linked, and resumes what waited for their link. */
export function makeAfterLinking(deps: AfterLinkingDeps): CarryOut {
  return async ({ person, channelId, responseUrl, request }) => {
    // What waits for this link is resumed after what was asked for, so that both do not set up the same thing.
    const resume = () => deps.resumeSoon(person);
    await deps.refreshHome(person);
    if (request === null) return resume();
    const context = deps.contextFrom({ person, channelId, responseUrl });
    deps.inBackground(context, () => deps.carryOut(context, request).finally(resume));
  };
}
