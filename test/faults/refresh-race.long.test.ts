import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Racers, raceRefreshes, startRacers } from '../core/linking/race-refreshes.ts';
import { linkDirectly } from '../support/link-directly.ts';
import { type Linking, setUpLinking } from '../support/linking.ts';

let world: Linking;
let linkId: string;
let racers: Racers;

beforeAll(async () => {
  world = await setUpLinking({ name: 'refresh race at full size' });
});
beforeEach(async () => {
  await world.reset();
  linkId = await linkDirectly(world.core, world.dana, 'dana@example.com');
  racers = await startRacers(8, { settings: world.stage.settingsOf({}) });
});
afterEach(() => racers.close());
afterAll(() => world.stage.close());

const race = (rounds: number) =>
  raceRefreshes(racers, {
    service: world.service,
    linkId,
    callers: 50,
    rounds,
    forward: (milliseconds) => {
      world.advance(milliseconds);
      return world.core.clock.now();
    },
  });

test.each([
  { rounds: 25, latency: 50 },
  { rounds: 2, latency: 12_000 },
])(
  '8 processes with 50 callers each, $rounds rounds with answers after $latency ms: one refresh per round, and everyone gets a token',
  async ({ rounds, latency }) => {
    world.service.faults.set({ endpoint: 'token:refresh_token', kind: 'delay', ms: latency });
    const result = await race(rounds);
    expect(result.rounds.map(({ refreshes }) => refreshes)).toEqual(Array.from({ length: rounds }, () => 1));
    expect(
      result.rounds.map((round) => round.answers.length),
      JSON.stringify(result.rounds),
    ).toEqual(Array.from({ length: rounds }, () => 1));
    const answers = result.rounds.flatMap((round) => round.answers);
    expect(answers.filter((answer) => answer === 'relink' || answer.startsWith('failed'))).toEqual([]);
    expect(result.reuses).toBe(0);
    expect(await world.relinkRequests(world.dana)).toEqual([]);
  },
  120_000,
);
