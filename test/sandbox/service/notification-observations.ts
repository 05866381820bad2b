import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import type { PracticeAction } from '../../../sandbox/service/actions.ts';
import type { PracticeService } from '../../../sandbox/service/practice-service.ts';
import type { SwitchName } from '../../../sandbox/service/switches.ts';
import type { Observation, Receiver } from './observation.ts';
import { forms, link, postCreate, REVIEW, SAM, startReceiver, subscribe, TOWER } from './support.ts';

const FILE = 'Plans/Level 1/A-101 Floor plan.pdf';
const CHECK_IN: PracticeAction = { action: 'check-in', project: TOWER, item: FILE };
const RENAME: PracticeAction = { action: 'rename-project', project: TOWER, name: 'New' };
const ADD_3: PracticeAction = { action: 'add-files', project: TOWER, count: 3, prefix: 'S' };

/** Returns what a comprehensive subscription receives when these actions happen. */
async function after(service: PracticeService, receiver: Receiver, ...actions: PracticeAction[]) {
  const form = forms(service, receiver.uri);
  const record = await subscribe(service, form.project, { comprehensive: true });
  await subscribe(service, form.session, { comprehensive: true });
  for (const action of actions) service.act(SAM, action);
  await service.settled();
  return { record, callbacks: receiver.callbacks, notifications: receiver.notifications() };
}

async function signature(service: PracticeService, receiver: Receiver) {
  const { record, callbacks } = await after(service, receiver, RENAME);
  const { headers, body = '' } = callbacks[0] ?? {};
  const key = record.Key ?? '';
  const mac = (secret: Buffer | string, encoding: 'hex' | 'base64') =>
    createHmac('sha256', secret).update(body).digest(encoding);
  const bytes = Buffer.from(key, 'hex');
  const known: Record<string, string> = {
    [key]: 'key',
    [mac(bytes, 'hex')]: 'sha256-hex',
    [mac(bytes, 'base64')]: 'sha256-base64',
    [mac(key, 'hex')]: 'sha256-hex-text',
    [mac(key, 'base64')]: 'sha256-base64-text',
  };
  const sent = headers?.['x-signature'];
  return sent === undefined ? 'none' : known[String(sent)];
}

async function names(service: PracticeService, receiver: Receiver) {
  const { notifications } = await after(service, receiver, ADD_3);
  return notifications.map(({ ExtraInformation }) => ExtraInformation.Name);
}

const guid = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** What notifications show of each switch that affects them. */
export const notificationObservations = {
  callbackMethod: {
    observe: async (service, receiver) => (await after(service, receiver, RENAME)).callbacks[0]?.method,
    expected: { POST: 'POST', PUT: 'PUT' },
  },
  callbackContentType: {
    observe: async (service, receiver) =>
      (await after(service, receiver, RENAME)).callbacks[0]?.headers['content-type'],
    expected: {
      'application/json': 'application/json',
      'application/json; charset=utf-8': 'application/json; charset=utf-8',
      'text/json': 'text/json',
      'application/vnd.notification+json': 'application/vnd.notification+json',
      'text/plain': 'text/plain',
      none: undefined,
    },
  },
  callbackShape: {
    async observe(service, receiver) {
      const { callbacks } = await after(service, receiver, ADD_3);
      return callbacks.map(({ body }) => (JSON.parse(body) as { length?: number }).length ?? 'object');
    },
    expected: { object: ['object', 'object', 'object'], array: [3] },
  },
  callbackSuccess: {
    async observe(service) {
      const answers = [{ status: 204 }, { status: 200, body: 'ok' }, { status: 200, body: '{}' }];
      const receiver = await startReceiver(() => answers.shift() ?? { status: 500 });
      await after(service, receiver, ADD_3);
      return service.deliveries.all().map(({ state }) => state);
    },
    expected: {
      'any 2xx': ['received', 'received', 'received'],
      '200 only': ['failed', 'received', 'received'],
      '200 with JSON': ['failed', 'failed', 'received'],
    },
  },
  signatureScheme: {
    observe: signature,
    expected: {
      none: 'none',
      key: 'key',
      'sha256-hex': 'sha256-hex',
      'sha256-base64': 'sha256-base64',
      'sha256-hex-text': 'sha256-hex-text',
      'sha256-base64-text': 'sha256-base64-text',
    },
  },
  signatureHeader: {
    async observe(service, receiver) {
      service.switches.set({ signatureScheme: 'key' });
      const { callbacks } = await after(service, receiver, RENAME);
      return Object.keys(callbacks[0]?.headers ?? {}).find((name) => name.startsWith('x-'));
    },
    expected: { 'X-Signature': 'x-signature', 'X-Hub-Signature-256': 'x-hub-signature-256' },
  },
  signaturePrefix: {
    async observe(service, receiver) {
      service.switches.set({ signatureScheme: 'sha256-hex' });
      return (await after(service, receiver, RENAME)).callbacks[0]?.headers['x-signature'];
    },
    expected: {
      none: expect.stringMatching(/^[0-9a-f]{64}$/),
      'algorithm=': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    },
  },
  retries: {
    async observe(service) {
      const receiver = await startReceiver(() => ({ status: 500 }));
      return (await after(service, receiver, RENAME)).callbacks.length;
    },
    expected: { 0: 1, 3: 4 },
  },
  retryDelayMs: {
    async observe(service) {
      service.switches.set({ retries: 5 });
      const times: number[] = [];
      const receiver = await startReceiver(() => {
        times.push(performance.now());
        return { status: 500 };
      });
      await after(service, receiver, RENAME);
      const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
      // A busy machine makes any wait longer, never shorter.
      return Math.min(...gaps) > 90 ? 'long' : 'short';
    },
    expected: { 10: 'short', 100: 'long' },
  },
  duplicates: {
    observe: async (service, receiver) => (await after(service, receiver, RENAME)).callbacks.length,
    expected: { 0: 1, 1: 2 },
  },
  order: {
    observe: names,
    expected: {
      kept: ['S 1.pdf', 'S 2.pdf', 'S 3.pdf'],
      reversed: ['S 3.pdf', 'S 2.pdf', 'S 1.pdf'],
      shuffled: ['S 2.pdf', 'S 3.pdf', 'S 1.pdf'],
    },
  },
  latenessMs: {
    async observe(service) {
      const waits: number[] = [];
      let changed = 0;
      const receiver = await startReceiver(() => {
        waits.push(performance.now() - changed);
        return { status: 200 };
      });
      await subscribe(service, forms(service, receiver.uri).project);
      for (let count = 0; count < 5; count += 1) {
        changed = performance.now();
        service.act(SAM, RENAME);
        await service.settled();
      }
      // A busy machine makes any wait longer, never shorter.
      return Math.min(...waits) > 45 ? 'late' : 'at once';
    },
    expected: { 0: 'at once', 50: 'late' },
  },
  inFlight: {
    async observe(service) {
      let waiting: (() => void)[] = [];
      const receiver = await startReceiver(async () => {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
        return { status: 200 };
      });
      const form = forms(service, receiver.uri);
      await subscribe(service, form.project, { comprehensive: true });
      service.act(SAM, ADD_3);
      await expect.poll(() => waiting.length).toBe(Math.min(3, service.switches.get('inFlight')));
      const together = waiting.length;
      const settled = service.settled();
      const freeing = setInterval(() => {
        for (const free of waiting) free();
        waiting = [];
      }, 1);
      await settled;
      clearInterval(freeing);
      return together;
    },
    expected: { 1: 1, 8: 3 },
  },
  notificationId: {
    observe: async (service, receiver) => (await after(service, receiver, RENAME)).notifications[0]?.Id,
    expected: {
      guid: expect.stringMatching(new RegExp(`^${guid}$`)),
      'upper case': expect.stringMatching(new RegExp(`^(?=.*[A-F])${guid.replaceAll('a-f', 'A-F')}$`)),
      'in braces': expect.stringMatching(new RegExp(`^\\{${guid}\\}$`)),
      missing: undefined,
    },
  },
  notifiedItemType: {
    observe: async (service, receiver) =>
      (await after(service, receiver, CHECK_IN)).notifications[0]?.ExtraInformation.ItemType,
    expected: { capitalized: 'File', lower: 'file' },
  },
  numbers: {
    async observe(service, receiver) {
      const { record, notifications } = await after(service, receiver, RENAME);
      const list = await fetch(`${service.baseUrl}/notifications/subscriptions`, {
        headers: { authorization: `Bearer ${service.accessToken(SAM)}` },
      });
      const { TotalCount } = (await list.json()) as { TotalCount: unknown };
      return [
        record.EndpointId,
        record.SubscriptionId,
        notifications[0]?.SubscriptionId,
        notifications[0]?.Source,
        TotalCount,
      ];
    },
    expected: { 'as listed': [301, 1201, 1201, 2, 0], 'as strings': ['301', '1201', '1201', '2', '0'] },
  },
  unknownFields: {
    async observe(service, receiver) {
      const { record, notifications } = await after(service, receiver, RENAME);
      const token = await link(service, SAM);
      return ['Owner' in record, 'CorrelationId' in (notifications[0] ?? {}), 'mfa' in token];
    },
    expected: { none: [false, false, false], sent: [true, true, true] },
  },
  absentFields: {
    async observe(service, receiver) {
      const { notifications } = await after(service, receiver, RENAME, CHECK_IN);
      return notifications.map(({ ExtraInformation: extra }) =>
        ['IdPath', 'Path', 'ItemType'].map((name) => name in extra),
      );
    },
    expected: {
      null: [
        [true, true, true],
        [true, true, true],
      ],
      missing: [
        [false, false, false],
        [true, true, true],
      ],
    },
  },
  eventNames: {
    async observe(service, receiver) {
      const move: PracticeAction = { action: 'move-item', project: TOWER, item: FILE };
      const add: PracticeAction = { action: 'add-document', session: REVIEW, name: 'Roof.pdf' };
      const { notifications } = await after(service, receiver, CHECK_IN, move, add);
      return notifications
        .toSorted((one, other) => one.SubscriptionId - other.SubscriptionId)
        .map(({ ExtraInformation: { ResourceType, EventType } }) => `${ResourceType} ${EventType}`);
    },
    expected: {
      'as listed': ['ProjectItems Update', 'ProjectItems Update', 'SessionDocuments Create'],
      'new EventType': ['ProjectItems CheckIn', 'ProjectItems Move', 'SessionDocuments Create'],
      'new ResourceType': ['ProjectItems Update', 'ProjectItems Update', 'SessionMarkups Create'],
    },
  },
  deletionAtCreate: {
    async observe(service) {
      const happened: string[] = [];
      const receiver = await startReceiver(({ body }) => {
        happened.push(
          (JSON.parse(body) as { ExtraInformation: { EventType: string } }).ExtraInformation.EventType,
        );
        return { status: 200 };
      });
      const form = forms(service, receiver.uri);
      for (const kind of ['document', 'session', 'file', 'project'] as const) {
        const { status } = await postCreate(service, form[kind]);
        happened.push(`${kind} ${status}`);
      }
      return happened;
    },
    expected: {
      no: ['document 200', 'session 200', 'file 200', 'project 200'],
      'notified before the answer': [
        'Delete',
        'document 200',
        'Delete',
        'session 200',
        'Delete',
        'file 200',
        'Delete',
        'project 200',
      ],
    },
  },
  resourceIds: {
    async observe(service, receiver) {
      const { record, notifications } = await after(service, receiver, RENAME);
      return [record.Resource, notifications[0]?.Resource];
    },
    expected: {
      hyphens: ['/Primes/4021/Projects/412-873-550/', '/Primes/4021/Projects/412-873-550/'],
      digits: ['/Primes/4021/Projects/412873550/', '/Primes/4021/Projects/412873550/'],
    },
  },
  resourceEnd: {
    observe: async (service, receiver) => (await after(service, receiver, RENAME)).notifications[0]?.Resource,
    expected: {
      slash: '/Primes/4021/Projects/412-873-550/',
      'no slash': '/Primes/4021/Projects/412-873-550',
    },
  },
  comprehensiveResource: {
    observe: async (service, receiver) =>
      (await after(service, receiver, CHECK_IN)).notifications[0]?.Resource,
    expected: {
      item: expect.stringMatching(/^\/Primes\/4021\/Projects\/412-873-550\/ProjectItems\/\d+\/$/),
      subscribed: '/Primes/4021/Projects/412-873-550/',
    },
  },
  pathRoot: {
    observe: async (service, receiver) =>
      (await after(service, receiver, CHECK_IN)).notifications[0]?.ExtraInformation.Path,
    expected: { 'with root': `Root/${FILE}`, 'without root': FILE },
  },
  pathSlashes: {
    async observe(service, receiver) {
      const { Path, IdPath } =
        (await after(service, receiver, CHECK_IN)).notifications[0]?.ExtraInformation ?? {};
      return [Path, IdPath?.replaceAll(/\d+/g, '0')];
    },
    expected: {
      none: [`Root/${FILE}`, '0/0/0/0'],
      leading: [`/Root/${FILE}`, '/0/0/0/0'],
      both: [`/Root/${FILE}/`, '/0/0/0/0/'],
    },
  },
  checkInToPlainFile: {
    async observe(service, receiver) {
      await subscribe(service, forms(service, receiver.uri).file);
      await subscribe(service, forms(service, receiver.uri).folder);
      service.act(SAM, CHECK_IN);
      await service.settled();
      return receiver.notifications().map(({ SubscriptionId }) => SubscriptionId);
    },
    expected: { no: [], yes: [1201] },
  },
  folderDeletion: {
    async observe(service, receiver) {
      const { notifications } = await after(service, receiver, {
        action: 'delete-item',
        project: TOWER,
        item: 'Plans/Level 1',
      });
      return notifications.map(({ ExtraInformation }) => ExtraInformation.Path);
    },
    expected: {
      'folder alone': ['Root/Plans/Level 1'],
      'each item': [
        'Root/Plans/Level 1/A-101 Floor plan.pdf',
        'Root/Plans/Level 1/A-102 Ceiling plan.pdf',
        'Root/Plans/Level 1',
      ],
    },
  },
  timestampOffset: {
    observe: async (service, receiver) =>
      (await after(service, receiver, RENAME)).notifications[0]?.Timestamp,
    expected: {
      '+00:00': '2026-03-04T09:15:42.1230000+00:00',
      '-07:00': '2026-03-04T02:15:42.1230000-07:00',
      '+05:30': '2026-03-04T14:45:42.1230000+05:30',
    },
  },
} satisfies Partial<Record<SwitchName, Observation>>;
