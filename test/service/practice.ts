import { onTestFinished } from 'vitest';
import { authorizeAs } from '../../sandbox/service/authorize-as.ts';
import { startPracticeService } from '../../sandbox/service/practice-service.ts';
import {
  type SwitchName,
  type SwitchValues,
  switches as switchRows,
} from '../../sandbox/service/switches.ts';
import type { Notification } from '../../src/core/model/notification.ts';
import type { Target } from '../../src/core/model/subscription.ts';
import { makeServiceClient } from '../../src/service/client.ts';
import { parseNotifications } from '../../src/service/notifications.ts';
import { makeServiceOAuth } from '../../src/service/oauth.ts';
import { startStub } from './stub-server.ts';

export const redirectUri = 'https://bot.example/oauth/callback';
export const clientId = 'plancast-test';
const clientSecret = 'the-client-secret';

/** A person with write permission on everything used here, and a colleague. */
export const dana = 'dana@example.com';
export const sam = 'sam@example.com';

export type Practice = Awaited<ReturnType<typeof startPractice>>;

/** Starts the practice service, our client for it over HTTP, and a URL that accepts notifications. All are closed with the test. */
export async function startPractice(
  switches: Partial<SwitchValues> = {},
  scopes: readonly string[] = ['full_user', 'jobs'],
) {
  const service = await startPracticeService({
    clientId,
    clientSecret,
    redirectUris: [redirectUri],
    switches,
  });
  onTestFinished(() => service.close());
  const { url, requests } = await startStub(() => ({ json: {} }));
  const oauth = makeServiceOAuth({
    authUrl: service.authUrl,
    baseUrl: service.baseUrl,
    clientId,
    clientSecret,
    scopes,
    redirectUri,
    now: service.clock.now,
  });
  const client = makeServiceClient({ baseUrl: service.baseUrl, scopes });

  return {
    service,
    oauth,
    client,
    callbackUrl: `${url}/notifications/callback-token`,
    /** The requests to the callback URL. */
    received: requests,
    targets: targetsIn(service.data),

    /** Walks through the service's pages as a person does, and returns where the browser is redirected, with the attempt. */
    async authorize(email: string = dana, decision: 'allow' | 'deny' = 'allow') {
      const attempt = oauth.newAttempt();
      const url = await oauth.authorizationUrl(attempt);
      const location = new URL(await authorizeAs(url.href, email, decision));
      return {
        ...attempt,
        url,
        location,
        callback: oauth.readCallback(location.searchParams, attempt.state),
      };
    },

    /** Subscribes in Dana's name, with the callback URL. */
    subscribe(target: Target, comprehensive = false) {
      const accessToken = service.accessToken(dana, { scope: scopes.join(' ') });
      return client.createSubscription(accessToken, {
        target,
        comprehensive,
        callbackUrl: `${url}/notifications/callback-token`,
      });
    },

    /** Returns all notifications so far, parsed, in order. */
    async notified(): Promise<Notification[]> {
      await service.settled();
      // The service may probe the URL before it uses it.
      const notifying = requests.filter(({ method }) => method !== 'GET' && method !== 'HEAD');
      return notifying.flatMap(({ body }) => parseNotifications(JSON.parse(body)).notifications);
    },
  };
}

/** Returns the codes that a callback brought, or fails the test. */
export function grantedBy({ callback, codeVerifier }: Awaited<ReturnType<Practice['authorize']>>) {
  if (callback.kind !== 'code')
    throw new Error(`the callback brought no code but the error ${callback.error}`);
  return { callbackParameters: callback.callbackParameters, codeVerifier };
}

/** Returns every side of a switch, for parameterized tests. */
export function sidesOf<N extends SwitchName>(name: N): Array<Partial<SwitchValues>> {
  const row = switchRows.find((one) => one.name === name);
  if (row === undefined) throw new Error(`there is no switch ${name}`);
  return row.sides.map((side) => ({ [name]: side }));
}

function targetsIn(data: Awaited<ReturnType<typeof startPracticeService>>['data']) {
  const tower = data.project('Harbour Tower');
  const review = data.session('Façade review');
  const projectId = '412-873-550';
  const sessionId = '731-450-286';
  return {
    project: { kind: 'project', projectId },
    folder: { kind: 'folder', projectId, itemId: data.item(tower, 'Plans/Level 1').id },
    file: { kind: 'file', projectId, itemId: data.item(tower, 'Plans/Level 1/A-101 Floor plan.pdf').id },
    session: { kind: 'session', sessionId },
    document: { kind: 'document', sessionId, documentId: data.document(review, 'Curtain wall.pdf').id },
  } as const;
}
