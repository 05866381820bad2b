import type { Env } from '../../env.ts';
import { makeServiceOAuth } from '../../service/oauth.ts';
import type { Ask, Asked } from './ask.ts';
import { type Finding, fault, ok } from './finding.ts';

export type ServiceFindings = {
  readonly findings: readonly Finding[];
  /** How many seconds the service's clock is ahead of ours; null if unknown. */
  readonly aheadSeconds: number | null;
};

type Deps = { readonly ask: Ask; readonly now: () => Date };

/**
 * Asks the service for the page on which people grant access, as far as it is shown without a person, and for subscriptions without
 * a token. Neither changes anything there.
 */
export async function checkService({ service, http }: Env, { ask, now }: Deps): Promise<ServiceFindings> {
  const redirectUri = `${http.publicUrl}/oauth/callback`;
  const oauth = makeServiceOAuth({ ...service, serviceName: service.name, redirectUri, now });
  const authorizationUrl = await oauth.authorizationUrl(oauth.newAttempt());
  const [page, api] = await Promise.all([
    ask(authorizationUrl),
    ask(`${service.baseUrl}/notifications/subscriptions`, { headers: { accept: 'application/json' } }),
  ]);
  return {
    findings: [judgePage(page, redirectUri), judgeApi(api)],
    aheadSeconds:
      [api, page]
        .map((asked) => (asked.ok ? asked.aheadSeconds : null))
        .find((seconds) => seconds !== null) ?? null,
  };
}

function judgePage(page: Asked, redirectUri: string): Finding {
  if (!page.ok) {
    return fault(
      'service',
      `SERVICE_AUTH_URL ${page.reason}`,
      'fix SERVICE_AUTH_URL, or allow the bot to reach it',
    );
  }
  const refusal = refusalIn(page, redirectUri);
  if (refusal !== undefined) {
    const remedy = 'compare SERVICE_SCOPES with the scopes of the registered app';
    return fault('service', `it refuses authorization requests (${refusal})`, remedy);
  }
  if (page.status === 404 || page.status === 405) {
    return fault(
      'service',
      `SERVICE_AUTH_URL has no authorization page (${page.status})`,
      'fix SERVICE_AUTH_URL',
    );
  }
  if (page.status >= 500) {
    return fault(
      'service',
      `its authorization server answers ${page.status}`,
      'wait, or contact the operators of the service',
    );
  }
  if (page.status >= 400) {
    const remedy = `compare SERVICE_CLIENT_ID with the registered app, and its redirect URI with ${redirectUri}`;
    return fault('service', `it rejects the registered app (${page.status})`, remedy);
  }
  return ok('service', 'its authorization page answers');
}

/** The error code with which the service redirects back instead of asking for consent. */
function refusalIn({ headers }: Extract<Asked, { ok: true }>, redirectUri: string): string | undefined {
  const location = headers.get('location') ?? '';
  if (!location.startsWith(`${redirectUri}?`)) {
    return undefined;
  }
  const error = URL.parse(location)?.searchParams.get('error') ?? undefined;
  return error === undefined || /^\w{1,80}$/.test(error) ? error : 'an unknown error';
}

function judgeApi(api: Asked): Finding {
  if (!api.ok) {
    return fault(
      'service',
      `SERVICE_BASE_URL ${api.reason}`,
      'fix SERVICE_BASE_URL, or allow the bot to reach it',
    );
  }
  if (api.status >= 500) {
    return fault('service', `its API answers ${api.status}`, 'wait, or contact the operators of the service');
  }
  // The interface does not document the status of a request without a token.
  if (api.status === 404 || api.status === 405 || (api.status >= 300 && api.status < 400)) {
    const remedy = 'fix SERVICE_BASE_URL: it includes the version, such as …/v1';
    return fault('service', `SERVICE_BASE_URL has no subscriptions (${api.status})`, remedy);
  }
  return ok('service', 'its API answers');
}
