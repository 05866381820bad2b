import { test } from 'vitest';
import { expectChangesRefused, expectSameBack } from './sealing-properties.ts';

test('any sealed text opens unchanged, 10,000 times', () => expectSameBack(10_000));

test('an attacker who changes any character of a sealed text gets nothing, 10,000 times', () =>
  expectChangesRefused(10_000));
