import { expect, test } from 'vitest';
import { makeCounter } from '../../bench/stage/count-statements.ts';
import { fitting } from '../../bench/stage/fill.ts';
import { makeUndo } from '../../bench/stage/undo.ts';

function message(type: string, body: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(4 + Buffer.byteLength(body));
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)]);
}
/** The startup message, a simple query, and an extended one: Parse, Bind, Execute, Sync. */
const session = Buffer.concat([
  message('', '\0\x03\0\0user\0Q\0'),
  message('Q', 'begin\0'),
  message('P', 'QEQE\0'),
  message('B', ''),
  message('E', ''),
  message('S', ''),
]);

test.each([1, 3, 7, 1_000])(
  'statements are counted however the stream is split: chunks of %i bytes',
  (size) => {
    let statements = 0;
    const count = makeCounter(() => {
      statements += 1;
    });

    for (let at = 0; at < session.length; at += size) count(session.subarray(at, at + size));

    expect(statements).toBe(2);
  },
);

test('a big store that does not fit is halved until it does', () => {
  const wanted = { subscriptions: 1_000_000, events: 10_000_000 };

  expect(fitting(wanted, 100e9)).toBe(wanted);
  expect(fitting(wanted, 10e9)).toEqual({ subscriptions: 500_000, events: 5_000_000 });
});

test('cleanup runs in reverse order, continues after a failure, and includes steps added late', async () => {
  const ended: string[] = [];
  const failed: unknown[] = [];
  const undo = makeUndo((error) => failed.push(error));
  const add = (name: string) => undo.add(async () => void ended.push(name));
  add('first');
  undo.add(() => Promise.reject(new Error('cleanup failed')));
  add('last');

  await Promise.all([undo.all(), undo.all()]);
  add('late');
  await undo.all();

  expect(ended).toEqual(['last', 'first', 'late']);
  expect(failed).toHaveLength(1);
});
