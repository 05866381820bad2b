import { afterAll, beforeAll, expect, test } from 'vitest';
import { switches } from '../../sandbox/service/switches.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { walkTheJourney } from '../support/switch-journey.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'contrary service', rateLimit: 'off', skipsPauses: true });
});
afterAll(() => stage.close());

/** Limits and faults, which have tests of their own, and switches that would hide others. */
const notSwitched = new Set([
  'requestsPerMinute',
  'invalidStatus',
  'latenessMs',
  'retryDelayMs',
  'denyError',
]);

test('the journey is the same if the service behaves as its documentation suggests', async () => {
  await expect(walkTheJourney(stage, 'leaning')).resolves.toBeUndefined();
}, 30_000);

test('the journey is the same if the service behaves the other way in everything its documentation leaves open', async () => {
  const contrary = switches.filter(({ sameOutcome, name }) => sameOutcome && !notSwitched.has(name));
  stage.service.switches.setUnchecked(
    Object.fromEntries(contrary.map(({ name, sides }) => [name, sides[1] ?? sides[0]])),
  );
  await expect(walkTheJourney(stage, 'contrary')).resolves.toBeUndefined();
}, 30_000);
