import { afterAll, beforeAll, expect, test } from 'vitest';
import { switches } from '../../sandbox/service/switches.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { walkTheJourney } from '../support/switch-journey.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'contrary service', rateLimit: 'off' });
});
afterAll(() => stage.close());

/** Limits and faults, which belong to tests of their own, and what would hide the others. */
const notSwitched = new Set([
  'requestsPerMinute',
  'invalidStatus',
  'latenessMs',
  'retryDelayMs',
  'denyError',
]);

test('the journey is the same where the service turns out as its page leans', async () => {
  await expect(walkTheJourney(stage, 'leaning')).resolves.toBeUndefined();
}, 30_000);

test('the journey is the same where the service turns out the other way in everything it leaves open', async () => {
  const contrary = switches.filter(({ sameOutcome, name }) => sameOutcome && !notSwitched.has(name));
  stage.service.switches.setUnchecked(
    Object.fromEntries(contrary.map(({ name, sides }) => [name, sides[1] ?? sides[0]])),
  );
  await expect(walkTheJourney(stage, 'contrary')).resolves.toBeUndefined();
}, 30_000);
