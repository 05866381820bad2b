import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lookFromOutside, type Upstream } from '../contract/outside.ts';
import { checkDelivery, itemName, readEvents, type Sent } from './checker.ts';
import { type FaultWorld, isAlive, startFaultWorld, untilSettled } from './endure.ts';
import { type Chance, makeChance } from './malformed-bodies.ts';

/** How many different notifications over how many channels, and how many at once; use more for longer runs. */
const size = { notifications: 5_000, channels: 10, atOnce: 24, seed: 7 };

type Room = { readonly channelId: string; readonly up: Upstream };
type Outgoing = { readonly sent: Omit<Sent, 'status' | 'at'>; readonly uri: string; readonly body: string };
type Body = Record<string, unknown>;

let world: FaultWorld;
let rooms: Room[];
beforeAll(async () => {
  world = await startFaultWorld({ name: 'notifications disorder' });
  const outside = lookFromOutside(world.stage);
  rooms = [];
  for (let count = 0; count < size.channels; count += 1) {
    const { channel, up } = await outside.following('/subscribe project 412-873-550');
    rooms.push({ channelId: channel.id, up });
  }
  await outside.close();
}, 60_000);
afterAll(() => world.close());

const timestamps = [
  () => new Date().toISOString(),
  () => '2019-03-01T00:00:00.0000000+00:00',
  () => '2099-12-31T23:59:59Z',
  () => '1970-01-01T00:00:00Z',
  () => '0001-01-01T00:00:00',
  () => 'yesterday',
  () => '2026-13-45T99:99:99Z',
  () => '',
  () => null,
  () => 1_700_000_000,
  () => undefined,
];

/** Returns a valid notification with some oddities that real senders produce. */
function bodyOf(index: number, { up }: Room, chance: Chance): Body {
  const { below, pick } = chance;
  const body: Body & { ExtraInformation: Body } = {
    Id: idOf(chance),
    SubscriptionId: pick([up.id, String(up.id), undefined]),
    Source: pick([2, '2', undefined]),
    Resource: '/Primes/4021/Projects/412873550/',
    Timestamp: pick(timestamps)(),
    ExtraInformation: {
      ResourceType: pick(['ProjectItems', 'projectitems', 'Annotations']),
      EventType: pick(['Create', 'Update', 'Delete', 'create', 'Annotate', 'Überprüft']),
      User: pick(['sam@example.com', 'SAM@example.com', '', undefined]),
      IdPath: `50211/50212/${100_000 + index}`,
      Path: `Root/Plans/${itemName(index)}`,
      ItemType: pick(['File', 'file', 'Hologram', undefined]),
      Name: itemName(index),
    },
  };
  if (below(5) === 0) Object.assign(body, { Later: { a: [1, { b: null }] }, __v: 3 });
  if (below(5) === 0) Object.assign(body.ExtraInformation, { Extra: ['x'], Size: 17 });
  return body;
}

/** Returns a GUID in one of the ways people write them, or none. */
function idOf({ pick }: Chance): string | undefined {
  const id = randomUUID();
  return pick([id, id.toUpperCase(), `{${id}}`, `{${id.toUpperCase()}}`, ` ${id} `, undefined]);
}

/** Returns the same Id, written in another way. */
function rewritten(id: unknown, { pick }: Chance): unknown {
  if (typeof id !== 'string') return id;
  const bare = id.trim().replace(/^\{|\}$/g, '');
  return pick([bare.toLowerCase(), bare.toUpperCase(), `{${bare}}`]);
}

/**
 * Returns everything to send, in sending order: each notification once, and again at once (one in ten), again later (one in ten), or again
 * with changes (one in 20).
 */
function makeStorm(chance: Chance): Outgoing[] {
  const { below } = chance;
  const storm: { order: number; outgoing: Outgoing }[] = [];
  const firstIndex = world.takeIndexes(size.notifications);
  for (let count = 0; count < size.notifications; count += 1) {
    const index = firstIndex + count;
    const room = rooms[count % rooms.length];
    if (!room) throw new RangeError('there are no channels');
    const body = bodyOf(index, room, chance);
    const add = (order: number, notice: Body) =>
      storm.push({ order, outgoing: outgoingOf(index, room, { notice, id: body.Id }) });
    // One in five is out of order by up to 100 positions, about 2 s; one in 20 comes much later.
    const order = count + (below(5) === 0 ? below(100) : 0) + (below(20) === 0 ? 500 + below(2_000) : 0);
    add(order, body);
    // Without an Id, a repeat is only recognized by the whole body.
    const again = () => (body.Id === undefined ? body : { ...body, Id: rewritten(body.Id, chance) });
    if (below(10) === 0) add(order, again());
    if (below(10) === 0) add(order + below(3_000), again());
    if (below(20) === 0 && body.Id !== undefined) {
      add(order + 60 + below(1_000), { ...again(), Timestamp: '2020-02-02T00:00:00Z', Changed: true });
    }
  }
  return storm.sort((one, other) => one.order - other.order).map(({ outgoing }) => outgoing);
}

function outgoingOf(index: number, room: Room, { notice, id }: { notice: Body; id: unknown }): Outgoing {
  const { channelId, up } = room;
  const notificationId = typeof id === 'string' ? id.trim() : `no id ${index}`;
  const sent = { notificationId, subscription: up.uri, channel: channelId, index };
  return { sent, uri: up.uri, body: JSON.stringify(notice) };
}

async function sendAll(storm: readonly Outgoing[], sent: Sent[]): Promise<Record<string, number>> {
  const agent = new Agent({ connections: size.atOnce });
  const statuses: Record<string, number> = {};
  let next = 0;
  const work = async (): Promise<void> => {
    for (let outgoing = storm[next]; outgoing !== undefined; outgoing = storm[next]) {
      next += 1;
      const at = Date.now();
      const answer = await request(outgoing.uri, { method: 'POST', body: outgoing.body, dispatcher: agent });
      await answer.body.dump();
      sent.push({ ...outgoing.sent, status: answer.statusCode, at });
      statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1;
      // A steady stream of several hundred a second, as a service sends after an outage of its own.
      await sleep(20);
    }
  };
  await Promise.all(Array.from({ length: size.atOnce }, work));
  await agent.close();
  return statuses;
}

test(`${size.notifications} notifications, some repeated, shuffled, late or odd: each is posted once, those of an item in the order of acceptance`, async () => {
  const storm = makeStorm(makeChance(size.seed));
  const sent: Sent[] = [];
  const began = Date.now();
  const statuses = await sendAll(storm, sent);
  const tookMs = Date.now() - began;
  const ids = rooms.map(({ channelId }) => channelId);
  await untilSettled(world.pool, ids);
  const events = await readEvents(world.pool);
  // An event without an Id got one derived from its content: find it by the name of its item.
  const derived = new Map(
    events
      .filter(({ notificationId }) => notificationId.startsWith('derived:'))
      .map(({ name, notificationId }) => [name, notificationId]),
  );
  const known = sent.map((one) =>
    one.notificationId.startsWith('no id')
      ? { ...one, notificationId: derived.get(itemName(one.index)) ?? one.notificationId }
      : one,
  );
  const messages = world.stage.slack.allMessages.filter(({ channelId }) => ids.includes(channelId));
  const { findings, counts } = checkDelivery({ sent: known, events, messages, alternating: true });
  const figures = { sent: sent.length, rows: events.length, statuses, tookMs, ...counts };
  process.stderr.write(`disorder: ${JSON.stringify(figures)}\n`);
  expect(findings).toEqual([]);
  expect(statuses).toEqual({ 200: storm.length });
  expect(events).toHaveLength(size.notifications);
  expect(counts.posted).toBe(size.notifications);
  expect(isAlive(world.child.pid)).toBe(true);
}, 180_000);
