import { expect, test } from 'vitest';
import { makeHeldClaims } from '../../src/jobs/held-claims.ts';

const at = (seconds: number) => new Date(seconds * 1_000);

test('the database answers once in the middle of an outage: claims from before it are still held', () => {
  let time = 0;
  const claims = makeHeldClaims({ forMs: 14_000, now: () => at(time) });
  claims.answered();
  time = 5;
  claims.failed(at(5));
  time = 10;
  claims.answered();
  time = 11;
  claims.failed(at(11));

  expect(claims.current()).toEqual({ since: at(0), until: at(25) });
});

test('a second outage long after the first holds only claims from its own beginning', () => {
  let time = 0;
  const claims = makeHeldClaims({ forMs: 14_000, now: () => at(time) });
  claims.answered();
  claims.failed(at(5));
  time = 10;
  claims.answered();
  time = 60;
  claims.answered();
  claims.failed(at(61));

  expect(claims.current()).toEqual({ since: at(60), until: at(74) });
});
