import { ServiceError } from '../../core/model/service-error.ts';
import type { Env } from '../../env.ts';
import { hourMs } from '../../lib/durations.ts';
import { makeServiceOAuth, type ServiceOAuth } from '../../service/oauth.ts';
import { type Asked, ask, findingsOn, type SetupFinding, type SystemFindings } from './finding.ts';

const { fault, ok, skipped } = findingsOn('service');

/** Requests the consent page, tokens for a code that does not exist, and subscriptions without a token: this changes nothing. */
export async function checkService({ service, http }: Env, now: () => Date): Promise<SystemFindings> {
  const redirectUri = `${http.publicUrl}/oauth/callback`;
  const oauth = makeServiceOAuth({ ...service, serviceName: service.name, redirectUri, now });
  const authorizationUrl = await oauth.authorizationUrl(oauth.newAttempt());
  const [page, secret, api] = await Promise.all([
    ask(authorizationUrl),
    checkSecret(oauth),
    ask(`${service.baseUrl}/notifications/subscriptions`, { headers: { accept: 'application/json' } }),
  ]);
  const [aheadSeconds = null] = [api, page].flatMap((asked) => (asked.ok ? (asked.aheadSeconds ?? []) : []));
  return { findings: [judgePage(page, redirectUri), secret, judgeApi(api)], aheadSeconds };
}

/** Checks the client secret. With the right one, a service refuses only the code, as it authenticates the client before. */
async function checkSecret(oauth: ServiceOAuth): Promise<SetupFinding> {
  const { state, codeVerifier } = oauth.newAttempt();
  const callback = oauth.readCallback(new URLSearchParams({ code: 'doctor', state }), state);
  if (callback.kind !== 'code') return unknownSecret;
  try {
    await oauth.exchange({ callbackParameters: callback.callbackParameters, codeVerifier });
    return unknownSecret;
  } catch (error) {
    const kind = error instanceof ServiceError ? error.kind : null;
    if (kind === 'invalid-grant') return ok('it accepts the client id and secret');
    if (kind !== 'forbidden') return unknownSecret;
    const remedy = 'copy both from the registered app';
    return fault('it refuses SERVICE_CLIENT_ID or SERVICE_CLIENT_SECRET', remedy);
  }
}

const unknownSecret = skipped('its answer does not say whether SERVICE_CLIENT_SECRET is right');

/** Judges the notifications, of which one was last refused at `refusedAt`; null if that is not known. */
export function judgeNotifications(refusedAt: number | null, now: Date): SetupFinding[] {
  if (refusedAt === null || now.getTime() - refusedAt > hourMs) return [];
  const remedy = 'set it to observe: the log then names the rule that they match';
  return [
    fault('notifications were refused in the last hour, as they do not match SERVICE_SIGNATURE', remedy),
  ];
}

function judgePage(page: Asked, redirectUri: string): SetupFinding {
  if (!page.ok) {
    return fault(`SERVICE_AUTH_URL ${page.reason}`, 'fix SERVICE_AUTH_URL, or allow the bot to reach it');
  }
  const refusal = refusalIn(page, redirectUri);
  if (refusal !== undefined) {
    const remedy = 'compare SERVICE_SCOPES with the scopes of the registered app';
    return fault(`it refuses authorization requests (${refusal})`, remedy);
  }
  if (page.status === 404 || page.status === 405) {
    return fault(`SERVICE_AUTH_URL has no authorization page (${page.status})`, 'fix SERVICE_AUTH_URL');
  }
  if (page.status >= 500) {
    return fault(
      `its authorization server answers ${page.status}`,
      'wait, or contact the operators of the service',
    );
  }
  if (page.status >= 400) {
    const remedy = `compare SERVICE_CLIENT_ID with the registered app, and its redirect URI with ${redirectUri}`;
    return fault(`it rejects the registered app (${page.status})`, remedy);
  }
  return ok('its authorization page answers');
}

/** Returns the error code with which the service redirects back instead of asking for consent. */
function refusalIn({ headers }: Extract<Asked, { ok: true }>, redirectUri: string): string | undefined {
  const location = headers.get('location') ?? '';
  if (!location.startsWith(`${redirectUri}?`)) return undefined;
  const error = URL.parse(location)?.searchParams.get('error') ?? undefined;
  return error === undefined || /^\w{1,80}$/.test(error) ? error : 'an unknown error';
}

function judgeApi(api: Asked): SetupFinding {
  if (!api.ok) {
    return fault(`SERVICE_BASE_URL ${api.reason}`, 'fix SERVICE_BASE_URL, or allow the bot to reach it');
  }
  if (api.status >= 500) {
    return fault(`its API answers ${api.status}`, 'wait, or contact the operators of the service');
  }
  // The interface does not document the status of a request without a token.
  if (api.status === 404 || api.status === 405 || (api.status >= 300 && api.status < 400)) {
    const remedy = 'fix SERVICE_BASE_URL: it includes the version, such as …/v1';
    return fault(`SERVICE_BASE_URL has no subscriptions (${api.status})`, remedy);
  }
  return ok('its API answers');
}
