import { afterAll, beforeAll, expect, test } from 'vitest';
import { switches } from '../../sandbox/service/switches.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { walkTheJourney } from '../support/switch-journey.ts';

let stage: Stage;
const matrix: string[] = [];
beforeAll(async () => {
  stage = await setStage({ name: 'switches', rateLimit: 'off' });
});
afterAll(async () => {
  await stage.close();
  process.stdout.write(
    `\nThe journey on each side of what the interface leaves open:\n${matrix.join('\n')}\n`,
  );
});

const sides = switches.flatMap(({ u, name, sides: all, sameOutcome }) =>
  sameOutcome ? all.map((side) => ({ u, name, side })) : [],
);

test.each(sides)(
  '$u: the journey is the same if $name is $side',
  async ({ u, name, side }) => {
    stage.service.switches.reset();
    stage.service.switches.setUnchecked({ [name]: side });
    const walked = walkTheJourney(stage, `sheet ${matrix.length + 1}`).then(
      () => 'same',
      (error: unknown) => `other: ${String(error).slice(0, 120)}`,
    );
    matrix.push(`  ${u.padEnd(6)}${name.padEnd(26)}${String(side).padEnd(36)}${await walked}`);
    // Each journey takes four commands, and links are limited to five in ten minutes.
    stage.advance(11 * 60_000);
    expect(await walked).toBe('same');
  },
  30_000,
);
