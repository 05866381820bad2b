import type { DayChange } from './working-day.ts';

const minute = 60_000;
const second = 1_000;

/** Collects the changes of a day, in which chance is the same each time. */
function makeDay() {
  const changes: DayChange[] = [];
  let seed = 42;
  return {
    /** Returns a whole number below `most`. */
    chance(most: number): number {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * most);
    },
    add: (change: DayChange) => changes.push(change),
    changes: () => changes.toSorted((a, b) => a.atMs - b.atMs),
  };
}

const personOf = (number: number) => `person${String(number + 1).padStart(2, '0')}`;

/**
 * Returns the 400 changes of the day before a deadline, in order: 8 models at which four people each save in turn, every 7 minutes (280),
 * two exports of 30 sheets, one a second (60), 40 of which get a new revision in their name in two sittings, 20 s apart, and 20 old
 * sheets deleted one by one. Times are milliseconds since 8:00.
 */
export function deadlineDay(): DayChange[] {
  const { add, changes, chance } = makeDay();
  for (let model = 0; model < 8; model += 1) {
    for (let save = 0; save < 35; save += 1) {
      const one = {
        person: personOf(model * 3 + (save % 4)),
        in: model % 3,
        file: `M-${model}`,
        folder: 'Models',
      };
      const atMs = (15 + model * 3 + save * 7) * minute + chance(90) * second;
      add({ atMs, what: 'save', eventType: 'Update', ...one });
    }
  }
  for (const [batch, start] of [300, 480].entries()) {
    for (let n = 0; n < 30; n += 1) {
      const one = { person: personOf(20 + batch), in: batch, file: `X${batch}-${n}`, folder: 'Export' };
      add({ atMs: start * minute + n * second, what: 'upload', eventType: 'Create', ...one });
      if (n >= 20) continue;
      const name = `X${batch}-${n} rev B.pdf`;
      const atMs = (start + 25) * minute + n * 20 * second;
      add({ atMs, what: 'rename', eventType: 'Update', ...one, name });
    }
  }
  for (let n = 0; n < 20; n += 1) {
    const one = { person: personOf(chance(25)), in: n % 3, file: `Old-${n}`, folder: 'Export' };
    add({ atMs: (60 + n * 26 + chance(9)) * minute, what: 'delete', eventType: 'Delete', ...one });
  }
  return changes();
}

/**
 * Returns the 400 changes of a day on a building site, in order: 40 times somebody uploads 3 to 8 photos, 4 s apart (216), 114 saves of
 * files that nobody saves twice within an hour, 40 photos moved in four sittings, 15 s apart, 20 deletions, 9 documents, and a finalized
 * session. Times are milliseconds since 8:00.
 */
export function siteDay(): DayChange[] {
  const { add, changes, chance } = makeDay();
  for (let upload = 0; upload < 40; upload += 1) {
    const start = (5 + upload * 14.5) * minute;
    const person = personOf(chance(12));
    for (let n = 0; n < 3 + (upload % 6); n += 1) {
      const one = { person, in: upload % 3, file: `P${upload}-${n}`, folder: `Photos ${upload % 5}` };
      add({ atMs: start + n * 4 * second, what: 'upload', eventType: 'Create', ...one });
    }
  }
  const photos = changes();
  for (let n = 0; n < 114; n += 1) {
    const file = n % 22;
    const one = {
      person: personOf(12 + chance(13)),
      in: file % 3,
      file: `F-${file}`,
      folder: `Trade ${file % 4}`,
    };
    add({ atMs: (3 + n * 5.2) * minute, what: 'save', eventType: 'Update', ...one });
  }
  for (let n = 0; n < 40; n += 1) {
    const photo = photos[n * 2];
    if (!photo) continue;
    const sitting = Math.floor(n / 10);
    const atMs = (330 + sitting * 60) * minute + (n % 10) * 15 * second;
    const one = { person: personOf(sitting), in: photo.in, file: photo.file, folder: 'Sorted' };
    add({ atMs, what: 'move', eventType: 'Update', ...one });
  }
  for (let n = 0; n < 20; n += 1) {
    const photo = photos[n * 5 + 1];
    if (!photo) continue;
    const one = { person: personOf(chance(12)), in: photo.in, file: photo.file, folder: photo.folder };
    add({ atMs: (400 + n * 9 + chance(4)) * minute, what: 'delete', eventType: 'Delete', ...one });
  }
  for (let n = 0; n < 9; n += 1) {
    const one = { person: personOf(24), in: 'session', file: `D-${n}`, folder: '' } as const;
    add({ atMs: (500 + n * 2) * minute, what: 'document', eventType: 'Create', ...one });
  }
  const review = { person: personOf(24), in: 'session', file: 'Review', folder: '' } as const;
  add({ atMs: 590 * minute, what: 'finalize', eventType: 'Update', ...review });
  return changes();
}
