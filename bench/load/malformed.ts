import { notificationBody, requestText, type Target } from './notification.ts';
import { makeRandom } from './random.ts';

/** One way to be malformed: turns a valid body into bytes, with the headers to send. */
type Fault = (good: string, random: () => number) => { body: Buffer; headers?: string };

const text = (body: string): ReturnType<Fault> => ({ body: Buffer.from(body) });
const cut = (good: string, random: () => number) => good.slice(0, Math.floor(random() * (good.length - 1)));

/** None of these can be taken for a notification, so each must be refused. */
const faults: readonly Fault[] = [
  (good, random) => text(cut(good, random)),
  (good, random) => ({
    body: Buffer.concat([Buffer.from(cut(good, random)), Buffer.from([0xff, 0xfe, 0xc0])]),
  }),
  (good) => text(`${good}}`),
  (good) => text(good.replaceAll('"', "'")),
  (good) => text(good.replace(':', '\u0000:')),
  (good) => ({ body: Buffer.from(good, 'utf16le') }),
  () => text(''),
  () => text('null'),
  () => text('"text"'),
  (_good, random) => text(String(random() * 1e300)),
  () => text('[1,2,3,null,[],{}]'),
  () => text('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
  () => text(`{"Id":1,"Id":2,"n":${'9'.repeat(5_000)}}`),
  (_good, random) => text('['.repeat(1_000 + Math.floor(random() * 50_000))),
  (_good, random) => text(`${'{"a":'.repeat(21 + Math.floor(random() * 2_000))}`),
  () => text(`{${Array.from({ length: 1_100 }, (_, key) => `"k${key}":0`).join(',')}}`),
  (_good, random) => ({
    body: Buffer.from(Array.from({ length: 300 }, () => Math.floor(random() * 256))),
  }),
  (good) => ({ body: Buffer.from(good), headers: 'Content-Encoding: gzip\r\n' }),
];
/** One in this many exceeds the size limit. */
const oversizedEvery = 500;
const oversizedBytes = 300 * 1024;

/** Creates whole requests that no bot may accept, the same in every run: half to a live address, half to tokens that never existed. */
export function makeMalformed(target: Target, seed = 1): (number: number) => Buffer {
  const random = makeRandom(seed);
  return (number) => {
    const good = notificationBody(target, { mark: 'bad00000' }, number);
    const token = number % 2 === 0 ? target.token : junkToken(random);
    const fault = faults[Math.floor(random() * faults.length)];
    const { body, headers = '' } =
      number % oversizedEvery === oversizedEvery - 2
        ? { body: Buffer.alloc(oversizedBytes, 32) }
        : (fault?.(good, random) ?? text(''));
    return Buffer.concat([Buffer.from(headOf(token, body.length, headers)), body]);
  };
}

function headOf(token: string, length: number, headers: string): string {
  return requestText(token, '', headers).replace('Content-Length: 0', `Content-Length: ${length}`);
}

function junkToken(random: () => number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-';
  return Array.from({ length: 32 }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');
}
