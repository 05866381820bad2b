import type { Env } from '../env.ts';
import type { Clock } from '../lib/durations.ts';
import type { Logger } from '../lib/log.ts';
import { makeServiceClient } from '../service/client.ts';
import { makeServiceOAuth } from '../service/oauth.ts';

export type ServiceRoom = ReturnType<typeof composeService>;

/**
 * The timeout of renewing tokens, in milliseconds. It is longer than for other calls, since a refresh token is used up even if nobody
 * waited for the answer. It is below the 20 s after which Postgres ends a waiting transaction, because the link's row is locked
 * meanwhile.
 */
const refreshAnswerMs = 15_000;

/** Composes the client of the collaboration service, and its OAuth. */
export function composeService({ env, clock, log }: { env: Env; clock: Clock; log: Logger }) {
  const settings = { ...env.service, serviceName: env.service.name };
  const service = makeServiceClient({ ...settings, log });
  const oauth = makeServiceOAuth({
    ...settings,
    redirectUri: `${env.http.publicUrl}/oauth/callback`,
    refreshTimeoutMs: refreshAnswerMs,
    now: () => clock.now(),
  });
  return { service, oauth };
}
