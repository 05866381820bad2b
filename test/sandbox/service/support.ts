import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';
import { authorizeAs } from '../../../sandbox/service/authorize-as.ts';
import {
  type PracticeService,
  type PracticeServiceOptions,
  startPracticeService,
} from '../../../sandbox/service/practice-service.ts';

export const CLIENT_ID = 'plan-bot';
export const CLIENT_SECRET = 'plan-bot-secret';
export const REDIRECT_URI = 'https://bot.example.com/oauth/callback';
export const DANA = 'dana@example.com';
export const SAM = 'sam@example.com';
export const LEE = 'lee@example.com';
export const NOOR = 'noor@example.com';
export const TOWER = '412-873-550';
export const BRIDGE = '660-118-342';
export const REVIEW = '731-450-286';
export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;
/** A fixed time, for tests that need one. */
export const MORNING = new Date('2026-03-04T09:15:42.123Z');

/** Starts the service for one test, on a fixed clock, and closes it with the test. */
export async function startService(options: Partial<PracticeServiceOptions> = {}): Promise<PracticeService> {
  const service = await startPracticeService({
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    redirectUris: [REDIRECT_URI],
    now: () => MORNING,
    ...options,
  });
  onTestFinished(() => service.close());
  return service;
}

export type Callback = { method: string; path: string; headers: IncomingHttpHeaders; body: string };
type Answer = { status: number; body?: string };

/** Starts a server that accepts notifications, and answers as requested (200 and `{}` by default). */
export async function startReceiver(
  answer: (callback: Callback) => Answer | Promise<Answer> = () => ({ status: 200, body: '{}' }),
) {
  const callbacks: Callback[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const callback = { method, path, headers, body: Buffer.concat(chunks).toString() };
    callbacks.push(callback);
    const { status, body = '' } = await answer(callback);
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    uri: `http://127.0.0.1:${port}/notifications/t0`,
    callbacks,
    /** Returns the contents of the notifications, in order of arrival. */
    notifications: (): Notified[] => callbacks.flatMap(({ body }) => JSON.parse(body) as Notified),
  };
}

export type Notified = {
  Id: string;
  SubscriptionId: number;
  Source: number;
  Resource: string;
  Timestamp: string;
  ExtraInformation: {
    ResourceType: string;
    User: string;
    EventType: string;
    IdPath: string | null;
    Path: string | null;
    ItemType: string | null;
    Name: string;
  };
};

/** A remote subscription as the interface shows it; an error answer has none of these fields. */
export type Record_ = {
  $id: string;
  EndpointId: number;
  Resource: string;
  Source: string;
  Status: string;
  SubscriptionId: number;
  Uri: string;
  Key?: string;
};

type Fields = Record<string, string>;

/** Returns the URL to send a browser to. */
export function authorizeUrl(
  service: PracticeService,
  changed: Record<string, string | undefined> = {},
): string {
  const url = new URL(`${service.authUrl}/auth/oauth/authorize`);
  const query = {
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: REDIRECT_URI,
    scope: 'full_user jobs',
    state: 'st-1',
    ...changed,
  };
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

/** Gets a code for the user through the page. */
export async function codeFor(
  service: PracticeService,
  email: string,
  changed: Record<string, string | undefined> = {},
): Promise<string> {
  const location = new URL(await authorizeAs(authorizeUrl(service, changed), email));
  return location.searchParams.get('code') ?? '';
}

export function postToken(service: PracticeService, fields: Fields): Promise<Response> {
  return fetch(`${service.authUrl}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, ...fields }),
  });
}

export function redeem(service: PracticeService, code: string, more: Fields = {}): Promise<Response> {
  return postToken(service, { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...more });
}

export function refresh(service: PracticeService, refreshToken: string): Promise<Response> {
  return postToken(service, { grant_type: 'refresh_token', refresh_token: refreshToken });
}

export type TokenAnswer = {
  access_token: string;
  expires_in: number;
  refresh_token: string;
  refresh_token_expires_in: number;
  token_type: string;
  userName: string;
  scope: string;
  '.issued': string;
  '.expires': string;
};

/** Returns the token answer after going from the page to the tokens. */
export async function link(service: PracticeService, email: string): Promise<TokenAnswer> {
  const answer = await redeem(service, await codeFor(service, email));
  return (await answer.json()) as TokenAnswer;
}

export async function tokens(answer: Response | Promise<Response>): Promise<TokenAnswer> {
  return (await (await answer).json()) as TokenAnswer;
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

export const SUBSCRIPTIONS = '/notifications/subscriptions';
export const COMPREHENSIVE = '/notifications/subscriptions/comprehensive';

/** Sends a request to {base_url} with an access token. */
export function api(
  service: PracticeService,
  path: string,
  { token, ...init }: RequestInit & { token: string },
): Promise<Response> {
  return fetch(`${service.baseUrl}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, ...(init.headers as Fields | undefined) },
  });
}

type Creating = { as?: string; comprehensive?: boolean; token?: string };

/** Sends a create request with these form fields. */
export function postCreate(
  service: PracticeService,
  fields: Fields,
  creating: Creating = {},
): Promise<Response> {
  return api(service, creating.comprehensive ? COMPREHENSIVE : SUBSCRIPTIONS, {
    token: creating.token ?? service.accessToken(creating.as ?? DANA),
    method: 'POST',
    body: new URLSearchParams(fields),
  });
}

/** Sends a create request and returns the new subscription. */
export async function subscribe(
  service: PracticeService,
  fields: Fields,
  creating: Creating = {},
): Promise<Record_> {
  const answer = await postCreate(service, fields, creating);
  if (!answer.ok) throw new Error(`Create answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Record_;
}

export const DEAD_URI = 'http://127.0.0.1:9/notifications/t0';

/** Returns the forms for the interface's rules 1 to 4, with resources of the seed. */
export function forms(service: PracticeService, Uri: string) {
  const tower = service.data.project(TOWER);
  const review = service.data.session(REVIEW);
  const item = (ref: string) => service.data.item(tower, ref).id;
  return {
    project: { ParentResourceType: 'Projects', ProjectId: TOWER, Uri },
    folder: {
      ParentResourceType: 'ProjectItems',
      ProjectId: TOWER,
      ItemType: 'folder',
      ProjectItemId: item('Plans/Level 1'),
      Uri,
    },
    file: {
      ParentResourceType: 'ProjectItems',
      ProjectId: TOWER,
      ItemType: 'file',
      ProjectItemId: item('Plans/Level 1/A-101 Floor plan.pdf'),
      Uri,
    },
    session: { ParentResourceType: 'Sessions', SessionId: REVIEW, Uri },
    document: {
      ParentResourceType: 'SessionDocuments',
      SessionId: REVIEW,
      SessionDocumentId: service.data.document(review, 'Curtain wall.pdf').id,
      Uri,
    },
  };
}
