import { expect, test } from 'vitest';
import { makeSwitches, type SwitchName, switches } from '../../../sandbox/service/switches.ts';
import { apiObservations } from './api-observations.ts';
import { notificationObservations } from './notification-observations.ts';
import type { Observation } from './observation.ts';
import { startReceiver, startService } from './support.ts';

/** The type rejects a switch without an observation. */
const observations: Record<SwitchName, Observation> = { ...apiObservations, ...notificationObservations };

const sides = switches.flatMap((row) => row.sides.map((side) => ({ ...row, side })));

test.each(sides)('$u $name: $side', async ({ name, side }) => {
  const { observe, expected } = observations[name];
  const randoms = [0.9, 0.1, 0.5];
  const service = await startService({
    random: () => randoms.shift() ?? 0,
    switches: makeSwitchesWith(name, side),
  });
  expect(Object.keys(expected)).toContain(String(side));
  expect(await observe(service, await startReceiver())).toEqual(expected[String(side)]);
  expect(service.log.of('internal error')).toEqual([]);
});

function makeSwitchesWith(name: SwitchName, side: string | number) {
  const board = makeSwitches({});
  board.setUnchecked({ [name]: side });
  return board.values();
}

test('every question that the interface leaves open has a switch, with at least two sides', () => {
  const rows = new Set<string>(switches.map(({ u }) => u));
  for (let number = 1; number <= 23; number += 1) expect(rows).toContain(`U${number}`);
  for (const { sides: all, default: side, about } of switches) {
    expect(new Set(all).size).toBeGreaterThanOrEqual(2);
    expect(all).toContain(side);
    expect(about).toMatch(/[.)]$/);
  }
});

test('switches can be set at the start or later, and reset', () => {
  const board = makeSwitches({ createStatus: 201 });
  board.set({ callbackMethod: 'PUT', retries: 7 });
  expect([board.get('createStatus'), board.get('callbackMethod'), board.get('retries')]).toEqual([
    201,
    'PUT',
    7,
  ]);
  board.reset();
  expect([board.get('createStatus'), board.get('callbackMethod'), board.get('retries')]).toEqual([
    200,
    'POST',
    0,
  ]);
});

test('an unknown switch or side is refused, and nothing is set', () => {
  const board = makeSwitches({});
  expect(() => board.setUnchecked({ callbackMethod: 'PUT', createStatus: 418 })).toThrow('200, 201, 202');
  expect(() => board.setUnchecked({ retries: 'often' })).toThrow('retries');
  expect(() => board.setUnchecked({ nothing: 1 })).toThrow('no switch "nothing"');
  expect(board.values()).toEqual(makeSwitches({}).values());
});
