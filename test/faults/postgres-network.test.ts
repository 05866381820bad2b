import { afterAll, beforeAll, expect, test } from 'vitest';
import { endure, expectEndured, type FaultWorld, type Ordeal, startFaultWorld } from './endure.ts';
import { startDatabaseProxy } from './support/database-proxy.ts';

let world: FaultWorld;
let proxy: Awaited<ReturnType<typeof startDatabaseProxy>>;
beforeAll(async () => {
  world = await startFaultWorld({
    name: 'postgres network',
    through: async (url) => {
      proxy = await startDatabaseProxy(url);
      return proxy.url;
    },
  });
});
afterAll(async () => {
  await world.close();
  await proxy.close();
});

let resetting: NodeJS.Timeout | undefined;

const ordeals: readonly Ordeal[] = [
  {
    name: 'every connection is reset once a second',
    lastsMs: 5_000,
    begin: async () => {
      resetting = setInterval(proxy.resetAll, 1_000);
      proxy.resetAll();
    },
    end: async () => clearInterval(resetting),
  },
  {
    name: 'Postgres refuses connections',
    lastsMs: 8_000,
    begin: () => proxy.refuse(),
    end: () => proxy.heal(),
  },
  {
    name: 'nothing passes for 12 s, and then everything that was held',
    lastsMs: 12_000,
    begin: async () => proxy.blackHole(),
    end: () => proxy.heal('delivered'),
  },
  {
    name: 'every answer takes 300 ms longer',
    lastsMs: 8_000,
    begin: async () => proxy.slowBy(300),
    end: () => proxy.heal(),
  },
  {
    name: 'every answer takes 6 s longer',
    lastsMs: 12_000,
    begin: async () => proxy.slowBy(6_000),
    end: () => proxy.heal(),
  },
  // Last, because the bot may never notice connections that died like this.
  {
    name: 'nothing passes for 12 s, and the connections from that time silently stay dead',
    lastsMs: 12_000,
    begin: async () => proxy.blackHole(),
    end: () => proxy.heal('lost'),
  },
];

test.each(ordeals)(
  '$name: 503 within 3 s, then back to normal with nothing lost and nothing posted twice',
  async (ordeal) => {
    const endured = await endure(world, ordeal);
    expectEndured(endured);
    expect(proxy.taken()).toBeGreaterThan(0);
  },
);
