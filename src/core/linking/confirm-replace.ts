import type { SlackPerson } from '../model/people.ts';
import type { LinkMade } from './link-outcome.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';
import type { SettleLink } from './settle-link.ts';

type ReplaceAnswered =
  | LinkMade
  /** The old account stays. */
  | { readonly outcome: 'kept' }
  /** The question belongs to another person, was already answered, or has expired. */
  | { readonly outcome: 'too-late' };

export type ConfirmReplace = (input: {
  /** Who clicked the button, according to Slack's signed request. */
  readonly person: SlackPerson;
  /** The button's value. */
  readonly attemptId: string;
  readonly use: 'new' | 'old';
}) => Promise<ReplaceAnswered>;

const uuidForm = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Replaces the old account with the new one, or discards the new one, as the person chose in Slack. */
export function makeConfirmReplace(deps: LinkingRoomDeps & { readonly settle: SettleLink }): ConfirmReplace {
  const { attempts, settle, clock } = deps;
  return async ({ person, attemptId, use }) => {
    if (!uuidForm.test(attemptId)) return { outcome: 'too-late' };
    const waiting = await attempts.takeReplacing(attemptId, person, clock.now());
    if (waiting === null) return { outcome: 'too-late' };
    if (use === 'old') {
      await attempts.end(attemptId);
      return { outcome: 'kept' };
    }
    const settled = await settle(waiting.attempt, waiting.grant, true);
    return settled.outcome === 'linked' ? settled : { outcome: 'too-late' };
  };
}
