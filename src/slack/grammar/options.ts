import { type Cursor, isOneOf } from './cursor.ts';
import { withExample } from './misunderstood.ts';
import { exampleWith, type OptionWord, optionRows } from './option-rows.ts';
import { readPathList } from './paths.ts';
import {
  readBy,
  readExcept,
  readItself,
  readName,
  readNotBy,
  readOnly,
  readThreads,
  type Typed,
} from './read-option.ts';
import { readDigest, readLive, readZone, scheduleOf } from './schedule.ts';
import { unknownOption } from './unknown-option.ts';

/** Reads the arguments of each option. */
const readers: Readonly<Record<OptionWord, (cursor: Cursor, typed: Typed) => void>> = {
  itself: readItself,
  only: readOnly,
  in: (cursor, typed) => {
    typed.paths = readPathList(cursor, typed.paths);
  },
  by: readBy,
  not: readNotBy,
  digest: readDigest,
  weekdays: (cursor, typed) => {
    typed.weekdays = cursor.last() ?? undefined;
  },
  except: readExcept,
  live: readLive,
  threads: readThreads,
  as: readName,
};

/** Reads all options up to the end of the line. `kind` is the kind of resource. Throws `Misunderstood`. */
export function readOptions(cursor: Cursor, kind: string) {
  const typed: Typed = { kind, itself: false, at: {} };
  for (let word = cursor.peek(); word; word = cursor.peek()) {
    if (readZone(cursor, typed)) continue;
    const found = optionRows.find((row) => isOneOf(word, [row.word]));
    if (!found) throw unknownOption(cursor, word, { kind, isScheduled: typed.when !== undefined });
    cursor.skip();
    withExample(exampleWith(found.example), () => readers[found.word](cursor, typed));
  }
  const { itself, only, paths, by, notBy, threads, name } = typed;
  return { itself, filters: { only, paths, by, notBy }, when: scheduleOf(typed), threads, name };
}
