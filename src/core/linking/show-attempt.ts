import { later, minuteMs } from '../../lib/durations.ts';
import type { LinkAttempt, LinkFailure } from '../model/link.ts';
import { type Asker, namedAsker } from './asker.ts';
import { linkLimits } from './limits.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';
import { codeOf, hashOf } from './secrets.ts';

/** Who is linked, or about to be, to what. `asker` is null if Slack could not be asked for names; `place` is where the person asked. */
type Tied = {
  readonly account: string | null;
  readonly asker: Asker | null;
  readonly place: { readonly teamId: string; readonly channelId: string | null };
};

export type AttemptShown =
  | (Tied & { readonly outcome: 'linked' | 'question' })
  /** `code` is for the person who asked to type in Slack, within `minutes`. */
  | (Tied & { readonly outcome: 'code'; readonly code: string; readonly minutes: number })
  | (LinkFailure & { readonly outcome: 'failed' })
  /**
   * - `working`: another request is about to finish the attempt
   * - `ended`: the person has not confirmed it in Slack, or has unlinked since
   * - `stray`: the browser's cookie belongs to no attempt that came back from the service in the last 10 minutes
   */
  | { readonly outcome: 'working' | 'ended' | 'stray' };

/** Returns how the attempt of a browser's cookie went. Changes nothing. Throws if the database cannot be reached. */
export type ShowAttempt = (cookie: string | null) => Promise<AttemptShown>;

export function makeShowAttempt(deps: LinkingRoomDeps): ShowAttempt {
  return async (cookie) => {
    const attempt = cookie === null ? null : await deps.attempts.byCookie(hashOf(cookie));
    const answeredAt = attempt?.answeredAt ?? null;
    const isShown = answeredAt !== null && later(answeredAt, linkLimits.page) > deps.clock.now();
    return attempt === null || cookie === null || !isShown ? { outcome: 'stray' } : show(attempt, cookie);
  };

  async function show(attempt: LinkAttempt, cookie: string): Promise<AttemptShown> {
    const { step, account, failure } = attempt;
    if (failure !== null) return { outcome: 'failed', ...failure };
    if (step === 'answered') return { outcome: 'working' };
    const left = attempt.expiresAt.getTime() - deps.clock.now().getTime();
    if (step === 'proving' && left > 0) {
      const minutes = Math.ceil(left / minuteMs);
      return { outcome: 'code', code: codeOf(cookie), minutes, ...(await tied(attempt, account)) };
    }
    if (step === 'replacing' && left > 0) return { outcome: 'question', ...(await tied(attempt, account)) };
    const link = step === 'done' ? await deps.links.of(attempt) : null;
    return link === null
      ? { outcome: 'ended' }
      : { outcome: 'linked', ...(await tied(attempt, link.account)) };
  }

  async function tied(attempt: LinkAttempt, account: string | null): Promise<Tied> {
    const asker = (await namedAsker(deps, attempt))?.asker ?? null;
    // The Home tab has no channel.
    return { account, asker, place: { teamId: attempt.teamId, channelId: attempt.channelId || null } };
  }
}
