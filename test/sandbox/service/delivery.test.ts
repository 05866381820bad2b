import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import type { PracticeService } from '../../../sandbox/service/practice-service.ts';
import type { SwitchValues } from '../../../sandbox/service/switches.ts';
import { forms, SAM, startReceiver, startService, subscribe, TOWER } from './support.ts';

type Answer = Parameters<typeof startReceiver>[0];

/** Starts a service with one comprehensive subscription to the tower. */
async function rig(switches: Partial<SwitchValues> = {}, answer?: Answer) {
  const service = await startService({ switches });
  const receiver = await startReceiver(answer);
  const record = await subscribe(service, forms(service, receiver.uri).project, { comprehensive: true });
  return { service, receiver, record };
}

function addFiles(service: PracticeService, count: number): void {
  service.act(SAM, { action: 'add-files', project: TOWER, count, prefix: 'S' });
}

const names = (receiver: Awaited<ReturnType<typeof startReceiver>>) =>
  receiver.notifications().map(({ ExtraInformation }) => ExtraInformation.Name.replace('.pdf', ''));

test('order kept, reversed and shuffled: all notifications arrive, in that order', async () => {
  const randoms = [0.5, 0.9, 0.1];
  const service = await startService({ random: () => randoms.shift() ?? 0 });
  const receiver = await startReceiver();
  await subscribe(service, forms(service, receiver.uri).project, { comprehensive: true });
  for (const order of ['kept', 'reversed', 'shuffled'] as const) {
    service.switches.set({ order });
    addFiles(service, 3);
    await service.settled();
  }
  // The numbers of later bursts continue those of earlier ones.
  expect(names(receiver)).toEqual(['S 1', 'S 2', 'S 3', 'S 6', 'S 5', 'S 4', 'S 9', 'S 7', 'S 8']);
});

test('held notifications are sent when released, in the order that is set then', async () => {
  const { service, receiver } = await rig({ order: 'reversed' });
  service.deliveries.hold();
  addFiles(service, 1);
  addFiles(service, 2);
  await service.settled();
  expect(receiver.callbacks).toEqual([]);
  service.deliveries.release();
  await service.settled();
  expect(names(receiver)).toEqual(['S 3', 'S 2', 'S 1']);
});

test('duplicates: each notification is repeated, with the same Id', async () => {
  const { service, receiver } = await rig({ duplicates: 2 });
  addFiles(service, 2);
  await service.settled();
  const ids = receiver.notifications().map(({ Id }) => Id);
  expect(ids).toHaveLength(6);
  expect(new Set(ids).size).toBe(2);
});

test('retries: resent until it is received', async () => {
  let failures = 2;
  const { service, receiver } = await rig({ retries: 5 }, () => ({ status: failures-- > 0 ? 503 : 200 }));
  addFiles(service, 1);
  await service.settled();
  expect(new Set(receiver.callbacks.map(({ body }) => body)).size).toBe(1);
  expect(
    service.log.of('delivery').map(({ attempt, status, received }) => [attempt, status, received]),
  ).toEqual([
    [1, 503, false],
    [2, 503, false],
    [3, 200, true],
  ]);
  expect(service.deliveries.all()).toMatchObject([
    { state: 'received', attempts: [{}, {}, { status: 200 }] },
  ]);
});

test('retries: given up after the configured number', async () => {
  const { service, receiver } = await rig({ retries: 2 }, () => ({ status: 500 }));
  addFiles(service, 1);
  await service.settled();
  expect(receiver.callbacks).toHaveLength(3);
  expect(service.deliveries.all()).toMatchObject([{ state: 'failed' }]);
});

test('without retries a failed notification is lost, and the next one is sent', async () => {
  let calls = 0;
  const { service } = await rig({}, () => ({ status: ++calls === 1 ? 500 : 200 }));
  addFiles(service, 2);
  await service.settled();
  expect(service.deliveries.all().map(({ state }) => state)).toEqual(['failed', 'received']);
});

test('an unreachable receiver counts as no answer', async () => {
  const service = await startService();
  await subscribe(service, forms(service, 'http://127.0.0.1:1/x').project);
  service.act(SAM, { action: 'rename-project', project: TOWER, name: 'New' });
  await service.settled();
  expect(service.log.of('delivery')).toMatchObject([{ status: null, received: false }]);
});

test('a receiver that does not answer in time counts as no answer', async () => {
  const service = await startService({ callbackTimeoutMs: 50 });
  const receiver = await startReceiver(() => new Promise(() => undefined));
  await subscribe(service, forms(service, receiver.uri).project);
  service.act(SAM, { action: 'rename-project', project: TOWER, name: 'New' });
  await service.settled();
  expect(service.log.of('delivery')).toMatchObject([{ status: null, received: false }]);
});

test('an array contains at most 100 notifications, all of one subscription', async () => {
  const { service, receiver } = await rig({ callbackShape: 'array' });
  await subscribe(service, forms(service, receiver.uri).project, { comprehensive: true, as: SAM });
  addFiles(service, 130);
  await service.settled();
  const sent = receiver.callbacks.map(({ body }) => JSON.parse(body) as { SubscriptionId: number }[]);
  const shape = sent.map((one) => [
    one.length,
    [...new Set(one.map(({ SubscriptionId }) => SubscriptionId))],
  ]);
  expect(shape).toHaveLength(4);
  expect(shape).toEqual(
    expect.arrayContaining([
      [100, [1201]],
      [100, [1202]],
      [30, [1201]],
      [30, [1202]],
    ]),
  );
});

test('an HMAC signature covers exactly the bytes that are sent', async () => {
  const { service, receiver, record } = await rig({
    signatureScheme: 'sha256-hex',
    signatureHeader: 'X-Plan-Sign',
  });
  service.act(SAM, { action: 'create-file', project: TOWER, name: 'Façade.pdf' });
  await service.settled();
  const { body = '', headers } = receiver.callbacks[0] ?? {};
  const expected = createHmac('sha256', Buffer.from(record.Key ?? '', 'hex'))
    .update(body)
    .digest('hex');
  expect(headers?.['x-plan-sign']).toBe(expected);
});

test('deliverRaw sends any body, even to removed subscriptions, and returns the answer', async () => {
  const { service, receiver, record } = await rig({ signatureScheme: 'key' }, ({ body }) => ({
    status: body === 'not json' ? 400 : 410,
    body: 'so',
  }));
  const raw = await service.deliverRaw(record.SubscriptionId, 'not json', {
    method: 'PUT',
    headers: { 'content-encoding': 'gzip' },
  });
  expect(raw).toEqual({ status: 400, body: 'so' });
  expect(receiver.callbacks[0]).toMatchObject({
    method: 'PUT',
    body: 'not json',
    headers: { 'content-encoding': 'gzip', 'x-signature': record.Key },
  });
  service.subscriptions.setStatus(record.SubscriptionId, 'Gone');
  const subscription = service.subscriptions.byId(record.SubscriptionId);
  if (subscription) service.subscriptions.remove(subscription);
  const again = await service.deliverRaw(record.SubscriptionId, [{ Id: 'x' }], { sign: false });
  expect(again.status).toBe(410);
  expect(receiver.callbacks[1]?.body).toBe('[{"Id":"x"}]');
  expect(receiver.callbacks[1]?.headers['x-signature']).toBeUndefined();
  await expect(service.deliverRaw(9_999, {})).rejects.toThrow('no subscription 9999');
});

test('close ends everything, including pending deliveries', async () => {
  const service = await startService();
  const receiver = await startReceiver(() => new Promise(() => undefined));
  await subscribe(service, forms(service, receiver.uri).project, { comprehensive: true });
  addFiles(service, 3);
  await expect.poll(() => receiver.callbacks.length).toBe(1);
  await service.close();
  await service.settled();
  await expect(fetch(service.authUrl)).rejects.toThrow();
});
