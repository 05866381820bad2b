import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { dana, type LinkWorld, startLinkWorld } from '../core/linking/link-world.ts';
import { type Racers, raceRefreshes, startRacers } from '../core/linking/race-refreshes.ts';

let world: LinkWorld;
let linkId: string;
let racers: Racers;

beforeAll(async () => {
  world = await startLinkWorld({ name: 'refresh race at full size' });
});
beforeEach(async () => {
  world.service.faults.clear();
  await world.reset();
  await world.link(dana, 'dana@example.com');
  linkId = (await world.links.of(dana))?.id ?? '';
  racers = await startRacers(8, {
    databaseUrl: world.database.url,
    key: world.sealingKey,
    service: world.service,
    redirectUri: `${world.publicUrl}/oauth/callback`,
    // The timeout that the running bot uses for the token endpoint.
    timeoutMs: 15_000,
  });
});
afterEach(() => racers.close());
afterAll(() => world.close());

const race = (rounds: number) =>
  raceRefreshes(racers, {
    service: world.service,
    linkId,
    callers: 50,
    rounds,
    forward: (milliseconds) => {
      world.clock.advance(milliseconds);
      return world.clock.now();
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
    expect(result).toMatchObject({ reuses: 0, asked: 0 });
  },
  120_000,
);
