import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeSealing, UnsealError } from '../../../src/store/sealing/sealing.ts';
import {
  anyPlace,
  expectChangesRefused,
  expectSameBack,
  first,
  place,
  refusal,
  sealing,
  second,
} from './sealing-properties.ts';

test('any sealed text opens unchanged', () => expectSameBack(100));

test('an attacker who changes any character of a sealed text gets nothing', () => expectChangesRefused(100));

test('an attacker who shortens or lengthens a sealed text gets nothing', async () => {
  const sealed = await sealing.seal(place, 'xoxb-the-token');
  for (let length = 0; length < sealed.length; length++) {
    await refusal(sealing.open(place, sealed.slice(0, length)));
  }
  for (const more of ['A', '.', '.A', '=', ' ', '\n', sealed]) {
    await refusal(sealing.open(place, sealed + more));
  }
});

test('a sealed text moved to another table, row or column does not open', async () => {
  const sealed = await sealing.seal(place, 'xoxb-the-token');
  for (const elsewhere of [
    { table: 'link_attempts' },
    { row: 'row-2' },
    { column: 'sealed_refresh_token' },
  ]) {
    expect((await refusal(sealing.open({ ...place, ...elsewhere }, sealed))).reason).toBe('changed');
  }
});

test('no two places are confused, however their names are split', async () => {
  await fc.assert(
    fc.asyncProperty(anyPlace, anyPlace, async (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other));
      await refusal(sealing.open(other, await sealing.seal(one, 'text')));
    }),
    { numRuns: 100 },
  );
  for (const separator of ['|', '', '.', ',', '","', '\\', '\0']) {
    const sealed = await sealing.seal({ table: 'a', row: `b${separator}c`, column: 'd' }, 'text');
    await refusal(sealing.open({ table: `a${separator}b`, row: 'c', column: 'd' }, sealed));
    await refusal(sealing.open({ table: 'a', row: 'b', column: `c${separator}d` }, sealed));
  }
});

test('the place is not part of the sealed text', async () => {
  const sealed = await sealing.seal({ table: 'tabletable', row: 'rowrow', column: 'columncolumn' }, 'text');
  const decoded = sealed.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
  expect(decoded.join()).not.toMatch(/tabletable|rowrow|columncolumn/);
  expect(sealed).toMatch(/^[\w.-]+$/);
});

test('the same text sealed twice looks different', async () => {
  expect(await sealing.seal(place, 'text')).not.toBe(await sealing.seal(place, 'text'));
});

test('the first key seals, and every key opens', async () => {
  const old = await makeSealing([first]).seal(place, 'text');
  const rotated = makeSealing([second, first]);
  expect(rotated.keyIdOf(await rotated.seal(place, 'text'))).toBe('second');
  expect(rotated.currentKeyId).toBe('second');
  expect(rotated.keyIdOf(old)).toBe('first');
  expect(await rotated.open(place, old)).toBe('text');
});

test('a text without its key does not open, and no other key is tried', async () => {
  const sealed = await makeSealing([second]).seal(place, 'text');
  expect((await refusal(sealing.open(place, sealed))).reason).toBe('unknown key');
});

test('another key under the same id does not open', async () => {
  const sealed = await makeSealing([{ ...second, id: 'first' }]).seal(place, 'text');
  expect((await refusal(sealing.open(place, sealed))).reason).toBe('changed');
});

test('an attacker who renames the key in the header to a known one gets nothing', async () => {
  const both = makeSealing([first, { ...second, secret: first.secret }]);
  const [, ...rest] = (await both.seal(place, 'text')).split('.');
  const header = Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid: 'second' })).toString(
    'base64url',
  );
  expect((await refusal(both.open(place, [header, ...rest].join('.')))).reason).toBe('changed');
});

test.each([
  ['plain text', 'xoxb-plain'],
  ['nothing', ''],
  ['dots', '....'],
  ['a header that is not JSON', `${Buffer.from('x').toString('base64url')}..a.a.a`],
])('%s instead of sealed text is refused, never returned', async (_name, text) => {
  expect((await refusal(sealing.open(place, text))).reason).toBe('malformed');
  expect(() => sealing.keyIdOf(text)).toThrow(UnsealError);
});

test.each(['none', 'A128KW', 'RSA-OAEP', 'PBES2-HS256+A128KW'])(
  'a header that asks for the algorithm %s is refused',
  async (alg) => {
    const [, ...rest] = (await sealing.seal(place, 'text')).split('.');
    const header = Buffer.from(JSON.stringify({ alg, enc: 'A256GCM', kid: 'first' })).toString('base64url');
    await refusal(sealing.open(place, [header, ...rest].join('.')));
  },
);

test('the error of a failure contains neither the text nor a key nor the sealed text', async () => {
  const sealed = await sealing.seal(place, 'xoxb-the-token');
  const error = await refusal(makeSealing([{ ...second, id: 'first' }]).open(place, sealed));
  const said = [error.message, error.stack, JSON.stringify(error), String(error.cause)].join('\n');
  expect(said).not.toContain('xoxb-the-token');
  expect(said).not.toContain(sealed.slice(-20));
  expect(said).not.toContain(Buffer.from(second.secret).toString('base64').slice(0, 20));
  expect(error.cause).toBeUndefined();
});

test('text that could not be restored unchanged is not sealed', async () => {
  await expect(sealing.seal(place, 'half \ud83d of a pair')).rejects.toThrow('well-formed');
});

test('a byte order mark is preserved', async () => {
  expect(await sealing.open(place, await sealing.seal(place, '\ufefftext'))).toBe('\ufefftext');
});

test('sealing without a key is impossible', () => {
  expect(() => makeSealing([])).toThrow('needs a key');
});
