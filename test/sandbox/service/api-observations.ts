import { expect } from 'vitest';
import { authorizeAs } from '../../../sandbox/service/authorize-as.ts';
import type { PracticeService } from '../../../sandbox/service/practice-service.ts';
import type { SwitchName } from '../../../sandbox/service/switches.ts';
import type { Observation } from './observation.ts';
import {
  api,
  authorizeUrl,
  BRIDGE,
  COMPREHENSIVE,
  codeFor,
  DANA,
  DEAD_URI,
  forms,
  link,
  NOOR,
  postCreate,
  redeem,
  refresh,
  SAM,
  SUBSCRIPTIONS,
  startReceiver,
  subscribe,
  TOWER,
  tokens,
} from './support.ts';

const status = async (answer: Promise<Response>) => (await answer).status;
const project = (service: PracticeService) => forms(service, DEAD_URI).project;
const list = (service: PracticeService, path = SUBSCRIPTIONS) =>
  api(service, path, { token: service.accessToken(DANA) });

async function statusOfOne(service: PracticeService, as: string, removed: boolean): Promise<number> {
  const { SubscriptionId } = await subscribe(service, project(service));
  const path = `${SUBSCRIPTIONS}/${SubscriptionId}`;
  if (removed) await api(service, path, { token: service.accessToken(DANA), method: 'DELETE' });
  return status(api(service, path, { token: service.accessToken(as) }));
}

async function typeof_(answer: Promise<Response>, field: string): Promise<string> {
  return typeof new Map(Object.entries((await (await answer).json()) as object)).get(field);
}

const redeemed = async (service: PracticeService) => redeem(service, await codeFor(service, DANA));

async function statusesAfterRefresh(service: PracticeService) {
  const { access_token: token, refresh_token } = await link(service, DANA);
  await refresh(service, refresh_token);
  return status(api(service, SUBSCRIPTIONS, { token }));
}

/** What the subscription endpoints and OAuth show of each switch that affects them. */
export const apiObservations = {
  callbackProbe: {
    async observe(service) {
      const deaf = await startReceiver(({ method }) => ({ status: method === 'GET' ? 404 : 405 }));
      const refused = await status(postCreate(service, forms(service, deaf.uri).project));
      const good = await startReceiver();
      const made = await status(postCreate(service, forms(service, good.uri).project));
      return [refused, made, ...good.callbacks.map(({ method }) => method)];
    },
    expected: { none: [200, 200], GET: [400, 200, 'GET'], HEAD: [400, 200, 'HEAD'] },
  },
  keyCase: {
    observe: async (service) => (await subscribe(service, project(service))).Key,
    expected: {
      lower: expect.stringMatching(/^[0-9a-f]{64}$/),
      upper: expect.stringMatching(/^[0-9A-F]{64}$/),
    },
  },
  errorBody: {
    async observe(service) {
      const answer = await postCreate(service, { ...project(service), ProjectId: '999-999-999' });
      return [answer.status, answer.headers.get('content-type'), (await answer.text()).slice(0, 50)];
    },
    expected: {
      json: [404, 'application/json; charset=utf-8', '{"ErrorCode":4040,"Message":"The resource was not '],
      text: [404, 'text/plain; charset=utf-8', 'The resource was not found.'],
      html: [404, 'text/html; charset=utf-8', '<!doctype html><title>404</title><h1>Server Error<'],
      'long text': [404, 'text/plain', 'The resource was not found.\n   at Service.Handlers'],
      empty: [404, null, ''],
    },
  },
  invalidStatus: {
    observe: (service) => status(postCreate(service, { Uri: DEAD_URI })),
    expected: { 400: 400, 422: 422 },
  },
  noPermissionStatus: {
    observe: (service) => status(postCreate(service, project(service), { as: NOOR })),
    expected: { 403: 403, 404: 404 },
  },
  unknownResourceStatus: {
    observe: (service) => status(postCreate(service, { ...project(service), ProjectId: '999-999-999' })),
    expected: { 404: 404, 400: 400 },
  },
  sameAgainStatus: {
    async observe(service) {
      const first = await status(postCreate(service, project(service)));
      const other = await status(postCreate(service, project(service), { comprehensive: true }));
      return [first, other, await status(postCreate(service, project(service)))];
    },
    expected: { allowed: [200, 200, 200], 409: [200, 200, 409] },
  },
  othersSubscriptionStatus: {
    observe: (service) => statusOfOne(service, SAM, false),
    expected: { 404: 404, 403: 403 },
  },
  goneStatus: {
    observe: (service) => statusOfOne(service, DANA, true),
    expected: { 404: 404, 410: 410 },
  },
  challenge: {
    observe: async (service) =>
      (await api(service, SUBSCRIPTIONS, { token: 'guess' })).headers.get('www-authenticate'),
    expected: { sent: 'Bearer error="invalid_token"', missing: null },
  },
  tokenErrorBody: {
    async observe(service) {
      const answer = await refresh(service, 'guess');
      return [answer.status, await answer.text()];
    },
    expected: {
      rfc6749: [400, '{"error":"invalid_grant","error_description":"The refresh token is not known."}'],
      text: [400, 'The refresh token is not known.'],
      empty: [400, ''],
    },
  },
  createStatus: {
    observe: (service) => status(postCreate(service, project(service))),
    expected: { 200: 200, 201: 201, 202: 202 },
  },
  requestItemType: {
    async observe(service) {
      const { folder } = forms(service, DEAD_URI);
      const lower = await status(postCreate(service, folder));
      const capitalized = await status(postCreate(service, { ...folder, ItemType: 'Folder' }));
      return [lower, capitalized, await status(postCreate(service, { ...folder, ItemType: 'FOLDER' }))];
    },
    expected: { lower: [200, 400, 400], either: [200, 200, 400], capitalized: [400, 200, 400] },
  },
  documentParentType: {
    async observe(service) {
      const { document, session } = forms(service, DEAD_URI);
      const own = await status(postCreate(service, document));
      const sessions = await status(postCreate(service, { ...document, ParentResourceType: 'Sessions' }));
      return [own, sessions, await status(postCreate(service, session))];
    },
    expected: { SessionDocuments: [200, 400, 200], either: [200, 200, 200], Sessions: [400, 200, 200] },
  },
  comprehensiveList: {
    async observe(service) {
      await subscribe(service, project(service), { comprehensive: true });
      const answer = await list(service, COMPREHENSIVE);
      return [answer.status, (await answer.text()).replace(/\{"\$id":"2".*?\}/, 'RECORD')];
    },
    expected: {
      'as the list': [200, '{"$id":"1","Subscriptions":[RECORD],"TotalCount":1}'],
      'bare array': [200, '[RECORD]'],
      $values: [200, '{"$id":"1","Subscriptions":{"$id":"0","$values":[RECORD]},"TotalCount":1}'],
      'empty object': [200, '{}'],
      'not JSON': [200, '<p>Subscriptions</p>'],
      404: [404, expect.stringContaining('Not found')],
    },
  },
  plainListHolds: {
    async observe(service) {
      await subscribe(service, project(service));
      await subscribe(service, project(service), { comprehensive: true });
      return ((await (await list(service)).json()) as { TotalCount: number }).TotalCount;
    },
    expected: { 'plain only': 1, 'both kinds': 2 },
  },
  listPrime: {
    async observe(service) {
      await subscribe(service, project(service));
      await subscribe(service, { ...project(service), ProjectId: BRIDGE });
      return ((await (await list(service)).json()) as { TotalCount: number }).TotalCount;
    },
    expected: { 'every prime': 2, 'home prime': 1 },
  },
  recordStatus: {
    observe: async (service) => (await subscribe(service, project(service))).Status,
    expected: { Active: 'Active', Inactive: 'Inactive', active: 'active' },
  },
  subscriptionOfDeleted: {
    async observe(service) {
      await subscribe(service, project(service));
      await subscribe(service, forms(service, DEAD_URI).file);
      await subscribe(service, forms(service, DEAD_URI).session);
      service.act(SAM, { action: 'delete-project', project: TOWER });
      return service.subscriptions.all().map(({ place }) => place.kind);
    },
    expected: { kept: ['project', 'item', 'session'], removed: ['session'] },
  },
  denyError: {
    observe: async (service) =>
      new URL(await authorizeAs(authorizeUrl(service), DANA, 'deny')).searchParams.get('error'),
    expected: {
      access_denied: 'access_denied',
      server_error: 'server_error',
      temporarily_unavailable: 'temporarily_unavailable',
      user_cancelled: 'user_cancelled',
    },
  },
  denyDescription: {
    observe: async (service) =>
      new URL(await authorizeAs(authorizeUrl(service), DANA, 'deny')).searchParams.has('error_description'),
    expected: { missing: false, sent: true },
  },
  revocation: {
    async observe(service) {
      const { access_token: token, refresh_token } = await link(service, DANA);
      service.revoke(DANA);
      return [
        await status(refresh(service, refresh_token)),
        await status(api(service, SUBSCRIPTIONS, { token })),
      ];
    },
    expected: { 'refresh tokens only': [400, 200], 'access tokens too': [400, 401] },
  },
  revokedSubscriptions: {
    async observe(service) {
      await subscribe(service, project(service));
      await subscribe(service, project(service), { as: SAM });
      service.revoke(DANA);
      return service.subscriptions.all().map(({ user }) => user);
    },
    expected: { kept: [DANA, SAM], removed: [SAM] },
  },
  oldAccessToken: {
    observe: statusesAfterRefresh,
    expected: { 'ends at refresh': 401, 'lives to its end': 200 },
  },
  itemIds: {
    async observe(service) {
      const seeded = service.data.item(service.data.project(TOWER), 'Plans').id;
      return [seeded, service.act(SAM, { action: 'create-file', project: TOWER, name: 'New.pdf' }).id];
    },
    expected: {
      number: [expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d+$/)],
      guid: [expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/^[0-9a-f-]{36}$/)],
      opaque: [expect.stringMatching(/^it\.[^/\s]+~\d+\+=$/), expect.stringMatching(/^it\.[^/\s]+~\d+\+=$/)],
    },
  },
  recordSource: {
    observe: async (service) => typeof (await subscribe(service, project(service))).Source,
    expected: { string: 'string', number: 'number' },
  },
  subscriptionIds: {
    observe: async (service) => (await subscribe(service, project(service))).SubscriptionId,
    expected: { small: 1201, large: 5_000_000_001 },
  },
  expiresIn: {
    observe: async (service) => typeof_(redeemed(service), 'expires_in'),
    expected: { number: 'number', string: 'string', missing: 'undefined' },
  },
  refreshExpiresIn: {
    observe: async (service) => typeof_(redeemed(service), 'refresh_token_expires_in'),
    expected: { number: 'number', string: 'string', missing: 'undefined' },
  },
  scopeNeeded: {
    async observe(service) {
      const list_ = (scope: string) => {
        return status(api(service, SUBSCRIPTIONS, { token: service.accessToken(DANA, { scope }) }));
      };
      return [await list_('full_user'), await list_('jobs'), await list_('full_user jobs')];
    },
    expected: { none: [200, 200, 200], full_user: [200, 403, 200], jobs: [403, 200, 200] },
  },
  scopeField: {
    observe: async (service) => typeof_(redeemed(service), 'scope'),
    expected: { sent: 'string', missing: 'undefined' },
  },
  requestIds: {
    observe: (service) => status(postCreate(service, { ...project(service), ProjectId: '412873550' })),
    expected: { 'hyphens only': 400, either: 200 },
  },
  requestsPerMinute: {
    async observe(service) {
      const token = service.accessToken(DANA);
      for (let count = 0; count < 60; count += 1) await api(service, SUBSCRIPTIONS, { token });
      service.clock.advance(20_000);
      const last = await api(service, SUBSCRIPTIONS, { token });
      service.clock.advance(40_000);
      const later = await status(api(service, SUBSCRIPTIONS, { token }));
      return [last.status, last.headers.get('retry-after'), later];
    },
    expected: { 0: [200, null, 200], 60: [429, '40', 200] },
  },
  concurrentCreates: {
    async observe(service) {
      service.switches.set({ callbackProbe: 'GET' });
      let answerFirst = () => {};
      let isFirst = true;
      const receiver = await startReceiver(async () => {
        if (isFirst) {
          isFirst = false;
          await new Promise<void>((resolve) => {
            answerFirst = resolve;
          });
        }
        return { status: 200 };
      });
      const form = forms(service, receiver.uri).project;
      const first = status(postCreate(service, form));
      await expect.poll(() => receiver.callbacks.length).toBe(1);
      const meanwhile = [
        await status(postCreate(service, form)),
        await status(postCreate(service, form, { as: SAM })),
      ];
      answerFirst();
      return [await first, ...meanwhile, await status(postCreate(service, form))];
    },
    expected: { allowed: [200, 200, 200, 200], 429: [200, 429, 200, 200] },
  },
  subscriptionMaximum: {
    async observe(service) {
      const statuses = [];
      for (let count = 0; count < 3; count += 1) {
        statuses.push(await status(postCreate(service, project(service))));
      }
      return [...statuses, await status(postCreate(service, project(service), { as: SAM }))];
    },
    expected: { 0: [200, 200, 200, 200], 2: [200, 200, 403, 200] },
  },
  listings: {
    async observe(service) {
      const counts = [];
      for (const path of [
        'projects',
        `projects/${TOWER}/items`,
        'sessions',
        'sessions/731-450-286/documents',
      ]) {
        const answer = await list(service, `/${path}`);
        counts.push(answer.ok ? ((await answer.json()) as { TotalCount: number }).TotalCount : answer.status);
      }
      const secret = await api(service, `/projects/${TOWER}/items`, { token: service.accessToken(NOOR) });
      return [...counts, secret.status];
    },
    expected: { absent: [404, 404, 404, 404, 404], present: [3, 16, 1, 2, 404] },
  },
  pkce: {
    async observe(service) {
      const sent = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };
      return status(redeem(service, await codeFor(service, DANA, sent)));
    },
    expected: { checked: 400, ignored: 200 },
  },
  refreshAnswer: {
    async observe(service) {
      const first = await link(service, DANA);
      const second = await tokens(refresh(service, first.refresh_token));
      const again = await status(refresh(service, first.refresh_token));
      return [typeof second.access_token, typeof second.refresh_token, again];
    },
    expected: {
      'new refresh token': ['string', 'string', 400],
      'no refresh token': ['string', 'undefined', 200],
    },
  },
  userName: {
    observe: async (service) => typeof_(redeemed(service), 'userName'),
    expected: { sent: 'string', missing: 'undefined' },
  },
  tokenType: {
    observe: async (service) => (await tokens(redeemed(service))).token_type,
    expected: { bearer: 'bearer', Bearer: 'Bearer' },
  },
} satisfies Partial<Record<SwitchName, Observation>>;
