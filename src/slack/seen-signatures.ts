import { createHmac } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Bot } from '../core/bot.ts';
import type { Records } from '../lib/records.ts';

/** When a request with Slack's headers last matched this signing secret, and when one last did not, in milliseconds since the epoch. */
export type SeenSignatures = { readonly accepted: number | null; readonly refused: number | null };

type SignatureVerdict = keyof SeenSignatures;

/** Starts each challenge of `npm run doctor`. Those are signed with the configured secret, so they say nothing about Slack's. */
export const doctorChallenge = 'plancast-doctor-';

/** Slack has us treat older requests as replays, which say nothing about the secret either. */
const freshSeconds = 300;

/**
 * Records whether requests with Slack's headers match the signing secret, for the doctor, which cannot ask Slack. Mount it before Bolt's
 * receiver, which answers 401 if they do not match.
 * @param noteTime stores that a request of this key came now; false if one came a moment ago
 */
export function watchSignatures(
  { clock, log }: Pick<Bot, 'clock' | 'log'>,
  signingSecret: string,
  noteTime: (key: string) => boolean,
): RequestHandler {
  const note = (kind: SignatureVerdict): void => {
    if (noteTime(keyOf(kind, signingSecret)) && kind === 'refused')
      log.warn({}, 'a request with Slack’s headers does not match SLACK_SIGNING_SECRET');
  };

  return (request, response, next) => {
    const { 'x-slack-signature': signature, 'x-slack-request-timestamp': seconds } = request.headers;
    const isFresh = Math.abs(clock.now().getTime() / 1_000 - Number(seconds)) <= freshSeconds;
    if (signature !== undefined && isFresh && !isFromDoctor(request)) {
      response.once('finish', () => {
        // Bolt also answers 401 to a signed request from a workspace in which the bot is not installed.
        if (response.locals.isSigned === true || response.statusCode < 300) note('accepted');
        else if (response.statusCode === 401) note('refused');
      });
    }
    next();
  };
}

/** Reads what the processes of this installation have recorded for this signing secret. */
export async function readSeenSignatures(
  seen: Pick<Records<number>, 'get'>,
  signingSecret: string,
): Promise<SeenSignatures> {
  const [accepted, refused] = await Promise.all([
    seen.get(keyOf('accepted', signingSecret)),
    seen.get(keyOf('refused', signingSecret)),
  ]);
  return { accepted: accepted ?? null, refused: refused ?? null };
}

function isFromDoctor(request: object): boolean {
  return 'rawBody' in request && String(request.rawBody).includes(`"challenge":"${doctorChallenge}`);
}

/** The key depends on the secret, so requests refused under a wrong secret no longer count once it is corrected. */
function keyOf(kind: SignatureVerdict, signingSecret: string): string {
  return `${kind}-${createHmac('sha256', signingSecret).update('seen signatures').digest('hex').slice(0, 16)}`;
}
