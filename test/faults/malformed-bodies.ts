import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** A request body with its headers, and the statuses that a live URL may answer. */
export type Malformed = {
  /** What was changed, for findings. */
  readonly what: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent in chunks, without a Content-Length. */
  readonly chunked: boolean;
  readonly allowed: readonly number[];
};

type Pick = <T>(from: readonly T[]) => T;
/** Deterministic random numbers (mulberry32), so that a failure can be repeated. */
export type Chance = { readonly below: (most: number) => number; readonly pick: Pick };

export function makeChance(seed: number): Chance {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (most: number): number => Math.floor(next() * most);
  return {
    below,
    pick: <T>(from: readonly T[]): T => {
      if (from.length === 0) throw new RangeError('nothing to pick from');
      return from[below(from.length)] as T;
    },
  };
}

const mostBytes = 256 * 1024;
const types = [
  'application/json',
  'text/plain',
  'text/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-7',
  'application/json; charset=utf-16',
  'nonsense',
  '',
];
const fields = ['Id', 'SubscriptionId', 'Source', 'Resource', 'Timestamp', 'ExtraInformation'];
const innerFields = ['ResourceType', 'User', 'EventType', 'IdPath', 'Path', 'ItemType', 'Name'];
const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  9_007_199_254_740_992,
  '',
  ' ',
  '\u0000',
  '\ud800',
  'a\u202eb',
  '\r\nSet-Cookie: a=b',
  [],
  [[]],
  {},
  { toString: 1 },
  { length: 1e9 },
  'x'.repeat(5_000),
];

type Body = { what: string; body: Buffer | string; headers?: Record<string, string> };
type Make = (chance: Chance) => Body;

/** Returns a valid notification, to be damaged by the caller. */
function good(): Record<string, unknown> & { ExtraInformation: Record<string, unknown> } {
  return {
    Id: randomUUID(),
    Source: 2,
    Resource: '/Primes/4021/Projects/412873550/ProjectItems/9/',
    Timestamp: '2026-11-21T09:12:07.1230000+00:00',
    ExtraInformation: {
      ResourceType: 'ProjectItems',
      User: 'lee@example.com',
      EventType: 'Create',
      IdPath: '50211/9',
      Path: 'Root/Sheet “9”.pdf',
      ItemType: 'File',
      Name: 'Sheet “9”.pdf',
    },
  };
}

/** Changes after which a body is hardly ever a notification. */
const broken: readonly Make[] = [
  ({ below }) => {
    const body = Buffer.from(JSON.stringify(good()));
    for (let count = 1 + below(8); count > 0; count -= 1) {
      const at = below(body.length);
      body[at] = (body[at] ?? 0) ^ (1 << below(8));
    }
    return { what: 'flipped bits', body };
  },
  ({ below }) => {
    const body = Buffer.from(JSON.stringify(good()));
    return { what: 'cut', body: body.subarray(0, below(body.length)) };
  },
  ({ below, pick }) => ({ what: 'deep', body: pick(['[', '{"a":', '[{"a":']).repeat(1 + below(20_000)) }),
  ({ below, pick }) => ({
    what: 'long number',
    body: `{"Resource":"/x/","Source":${pick(['', '-', '0.', '1e'])}${'9'.repeat(1 + below(20_000))}}`,
  }),
  ({ pick }) => {
    const text = JSON.stringify(good());
    const bom = Buffer.from([0xef, 0xbb, 0xbf]);
    return {
      what: 'another encoding',
      body: pick([
        Buffer.concat([bom, Buffer.from(text)]),
        Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]),
        Buffer.from(text, 'utf16le'),
        Buffer.from(text, 'latin1'),
        gzipSync(text),
      ]),
    };
  },
  ({ pick }) => ({
    what: 'compressed',
    body: gzipSync(pick([JSON.stringify(good()), '[', ' '.repeat(1_000_000)])),
    headers: { 'content-encoding': pick(['gzip', 'deflate', 'br', 'x', 'gzip, gzip']) },
  }),
  ({ pick }) => ({
    what: 'no object',
    body: pick([
      '',
      ' ',
      'null',
      'true',
      '7',
      '"x"',
      '[]',
      '[null]',
      '[[]]',
      '[[[{}]]]',
      '{}',
      '[{}, 3]',
      'NaN',
      '{a:1}',
    ]),
  }),
  ({ pick }) => ({
    what: 'no JSON',
    body: pick([
      'a=b&c=d',
      '<a/>',
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--',
      '%00',
      '\0',
      '{{}}',
    ]),
  }),
];

/** Changes after which a body may well be a notification. */
const odd: readonly Make[] = [
  ({ below }) => {
    const body = Buffer.from(JSON.stringify(good()));
    const at = below(body.length);
    const junk = Buffer.from(Array.from({ length: 1 + below(20) }, () => below(256)));
    return { what: 'bytes put in', body: Buffer.concat([body.subarray(0, at), junk, body.subarray(at)]) };
  },
  ({ below, pick }) => {
    const body = good();
    for (let count = 1 + below(3); count > 0; count -= 1) body[pick(fields)] = pick(oddValues);
    return { what: 'odd fields', body: JSON.stringify(body) };
  },
  ({ below, pick }) => {
    const body = good();
    for (let count = 1 + below(4); count > 0; count -= 1)
      body.ExtraInformation[pick(innerFields)] = pick(oddValues);
    return { what: 'odd inner fields', body: JSON.stringify(body) };
  },
  ({ pick }) => {
    const body: Record<string, unknown> = good();
    for (const field of fields) if (pick([true, false])) delete body[field];
    return { what: 'missing fields', body: JSON.stringify(body) };
  },
  ({ below }) => {
    const depth = 2 + below(60);
    const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    return { what: 'deep and whole', body: `{"Resource":"/Primes/1/Projects/412873550/","More":${deep}}` };
  },
  ({ below }) => {
    const keys = Array.from({ length: 900 + below(400) }, (_, index) => `"k${index}":${index}`);
    return { what: 'many keys', body: `{"Resource":"/x/",${keys.join()}}` };
  },
  ({ pick }) => {
    const key = pick(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']);
    const value = pick(['{"polluted":1}', '{"prototype":{"polluted":1}}', '1', 'null', '[]']);
    const where = pick(['{', '"ExtraInformation":{']);
    return { what: `key ${key}`, body: JSON.stringify(good()).replace(where, `${where}"${key}":${value},`) };
  },
  ({ pick }) => {
    const body = JSON.stringify(good());
    const twice = pick([
      '"Id":"a"',
      '"Resource":null',
      '"ExtraInformation":[]',
      '"ExtraInformation":{"EventType":7}',
    ]);
    return {
      what: 'a key twice',
      body: pick([body.replace('{', `{${twice},`), `${body.slice(0, -1)},${twice}}`]),
    };
  },
  ({ pick }) => ({
    what: 'odd text',
    body: `{"Resource":"${pick(['\\ud800', '\\u0000', '\\udfff\\ud800', '\\u202e', '\u0001', '\\x', '\\u12'])}"}`,
  }),
  ({ below, pick }) => {
    const entries = Array.from({ length: below(30) }, () => pick([good(), null, {}, [], 'x', { Id: 1 }]));
    return { what: 'an array', body: JSON.stringify(entries) };
  },
];

/** Returns the next malformed body, and the statuses it may get. One in 500 is too long, one in ten may still be a notification. */
export function nextMalformed(chance: Chance): Malformed {
  const { below, pick } = chance;
  const made: Body =
    below(500) === 0
      ? { what: 'too long', body: `{"Resource":"${'x'.repeat(mostBytes + below(100_000))}"}` }
      : pick(below(10) === 0 ? odd : broken)(chance);
  const body = Buffer.from(made.body);
  const type = pick(types);
  return {
    what: made.what,
    body,
    headers: { ...(type === '' ? {} : { 'content-type': type }), ...made.headers },
    chunked: below(10) === 0,
    allowed: allowedFor(body, made.headers),
  };
}

function allowedFor(body: Buffer, headers: Record<string, string> = {}): number[] {
  if (body.length > mostBytes) return 'content-encoding' in headers ? [413, 415] : [413];
  // An empty body cannot be compressed.
  if ('content-encoding' in headers) return [415];
  return couldPass(body) ? [200, 400, 404] : [400];
}

/** Decides, independently of the bot, whether any entry of a body could be a notification. */
function couldPass(body: Buffer): boolean {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return false;
  }
  if (Array.isArray(json) && json.length === 0) return true;
  const entries: unknown[] = Array.isArray(json) ? json : [json];
  return entries.some(couldBeOne);
}

function couldBeOne(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return false;
  if (depthOf(entry) > 20) return false;
  const { Resource, ExtraInformation } = entry as { Resource?: unknown; ExtraInformation?: unknown };
  const eventType = (ExtraInformation as { EventType?: unknown } | null | undefined)?.EventType;
  return typeof Resource === 'string' || typeof eventType === 'string';
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
