import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { observe, parseSignatureSetting, verify } from '../../../src/core/receiving/key-signatures.ts';

const key = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const body = '{"Id":"AB","Timestamp":"2026-11-20T12:34:56+00:00","Resource":"/x"}';
const rawBody = Buffer.from(body);
const everyHmac = (['hex', 'base64'] as const).flatMap((encoding) =>
  ['', '-text'].map((form) => ({ encoding, form, name: `sha256-${encoding}${form}` })),
);

function sign(
  { encoding, form }: { encoding: 'hex' | 'base64'; form: string },
  message: string = body,
  withKey: string = key,
): string {
  const secret = Buffer.from(withKey, form === '-text' ? 'utf8' : 'hex');
  return createHmac('sha256', secret).update(message).digest(encoding);
}

function observed(headers: Record<string, string | string[]>, sent: string = body) {
  return observe({
    headers: {
      host: 'bot.example',
      'content-type': 'application/json',
      'x-request-id': 'a'.repeat(32),
      ...headers,
    },
    rawBody: Buffer.from(sent),
    key,
  });
}

function enforced(setting: string) {
  const parsed = parseSignatureSetting(setting);
  if (parsed === null) throw new Error(`${setting} is not a valid setting`);
  return (headers: Record<string, string | string[]>, withKey: string | null = key) =>
    verify(parsed, { headers, rawBody, key: withKey });
}

test.each(['off', 'observe'])('%s accepts everything, signed or not', (setting) => {
  expect(parseSignatureSetting(setting)).toEqual({ mode: setting });
  expect(enforced(setting)({}, null)).toBe(true);
});

test.each([
  '',
  'on',
  'OFF',
  'enforce',
  'enforce:',
  'enforce:x-signature',
  'enforce:x-signature:',
  'enforce::key',
  'enforce:x signature:key',
  'enforce:x-signature:sha256',
  'enforce:x-signature:sha1-hex',
  'enforce:x-signature:sha512-hex',
  'enforce:x-signature:sha256-hex-text-text',
  'enforce:x-signature:key-text',
  'enforce:x-signature:sha256-hex(timestamp.body)',
])('%j is not a valid setting', (setting) => {
  expect(parseSignatureSetting(setting)).toBeNull();
});

test('the header of a setting is found in any letter case', () => {
  expect(enforced('enforce:X-Signature:KEY')({ 'x-signature': key })).toBe(true);
});

test.each(everyHmac)('enforced $name accepts that signature and no other', (scheme) => {
  const takes = enforced(`enforce:x-signature:${scheme.name}`);
  const good = sign(scheme);
  const others = everyHmac.filter((other) => other !== scheme).map((other) => sign(other));
  expect(takes({ 'x-signature': good })).toBe(true);
  expect(takes({ 'x-signature': `sha256=${good}` })).toBe(true);
  expect(takes({ 'x-signature': `SHA256:${good}` })).toBe(true);
  expect(others.filter((other) => takes({ 'x-signature': other }))).toEqual([]);
  expect(takes({ 'x-other': good })).toBe(false);
  expect(takes({ 'x-signature': sign(scheme, `${body} `) })).toBe(false);
  expect(takes({ 'x-signature': sign(scheme, body, 'ab'.repeat(32)) })).toBe(false);
  expect(takes({ 'x-signature': good.slice(4) })).toBe(false);
  expect(takes({ 'x-signature': '' })).toBe(false);
});

test('enforced key accepts the key itself, in either letter case and after Bearer, and nothing else', () => {
  const takes = enforced('enforce:authorization:key');
  expect(takes({ authorization: key })).toBe(true);
  expect(takes({ authorization: key.toUpperCase() })).toBe(true);
  expect(takes({ authorization: `Bearer ${key}` })).toBe(true);
  expect(takes({ authorization: key.slice(1) })).toBe(false);
  expect(takes({ authorization: `${key}0` })).toBe(false);
  expect(takes({ authorization: '' })).toBe(false);
  expect(takes({})).toBe(false);
});

test('while a sender changes keys, one of several signatures is enough', () => {
  const takes = enforced('enforce:webhook-signature:sha256-base64');
  const good = sign({ encoding: 'base64', form: '' });
  const old = sign({ encoding: 'base64', form: '' }, body, 'cd'.repeat(32));
  expect(takes({ 'webhook-signature': `v1,${old} v1,${good}` })).toBe(true);
  expect(takes({ 'webhook-signature': [old, good] })).toBe(true);
  expect(takes({ 'webhook-signature': `v1,${old}` })).toBe(false);
});

test('a signature in base64url and without padding is read too', () => {
  const takes = enforced('enforce:x-signature:sha256-base64');
  const signature = sign({ encoding: 'base64', form: '' });
  const url = signature.replaceAll('+', '-').replaceAll('/', '_').replace('=', '');
  expect(takes({ 'x-signature': url })).toBe(true);
});

test('an attacker gains nothing if the key is unknown, empty or has no bytes', () => {
  const takes = enforced('enforce:x-signature:sha256-hex');
  const withNoKey = createHmac('sha256', '').update(body).digest('hex');
  expect(takes({ 'x-signature': withNoKey }, null)).toBe(false);
  expect(takes({ 'x-signature': withNoKey }, '')).toBe(false);
  expect(takes({ 'x-signature': withNoKey }, 'not hexadecimal')).toBe(false);
  expect(
    takes(
      { 'x-signature': createHmac('sha256', Buffer.from('ab', 'hex')).update(body).digest('hex') },
      'abc',
    ),
  ).toBe(false);
});

test('nothing is observed if nothing is signed', () => {
  expect(observed({})).toBeNull();
  expect(observed({ 'x-signature': 'ab'.repeat(32) })).toBeNull();
  expect(observed({ 'x-signature': sign({ encoding: 'hex', form: '' }, 'other body') })).toBeNull();
});

test('nothing is observed while the key is unknown', () => {
  const headers = { 'x-signature': key };
  expect(observe({ headers, rawBody, key: null })).toBeNull();
});

test('the key in a header is observed, under a name that can be enforced', () => {
  expect(observed({ 'x-key': key.toUpperCase() })).toBe('x-key:key');
});

test.each(everyHmac)('a body signed by $name is observed under the name to enforce', (scheme) => {
  const headers = { 'x-signature': sign(scheme) };
  const rule = observed(headers);
  expect(rule).toBe(`x-signature:${scheme.name}`);
  expect(enforced(`enforce:${rule}`)(headers)).toBe(true);
  expect(observed({ 'x-signature': `sha256=${sign(scheme)}` })).toBe(rule);
});

test('an observed rule never contains the key, wherever the sender puts it', () => {
  expect(observed({ [`x-${key}`]: 'x' })).toBeNull();
  expect(observed({ 'x-key': `${key}, ${key}` })).toBe('x-key:key');
});

test('a flood of headers and signatures is cut short', () => {
  const digest = 'ab'.repeat(32);
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, nth) => [`x-${nth}`, digest]));
  expect(observed({ ...many, 'x-signature': key })).toBeNull();
  expect(observed({ 'x-signature': `${'a,'.repeat(20_000)}${key}` })).toBeNull();
});
