import { test } from 'vitest';
import { expectChangesRefused, expectSameBack } from './sealing-properties.ts';

test('whatever was sealed comes back the same, 10,000 times', () => expectSameBack(10_000));

test('an attacker who changes one character of a sealed text, whichever, gets nothing, 10,000 times', () =>
  expectChangesRefused(10_000));
