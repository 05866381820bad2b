/** One change of a day. `in`: the number of a project, or the session. */
export type DayChange = {
  readonly atMs: number;
  readonly what: 'save' | 'upload' | 'add' | 'rename' | 'move' | 'delete' | 'document' | 'finalize';
  readonly eventType: 'Create' | 'Update' | 'Delete';
  readonly person: string;
  readonly in: number | 'session';
  readonly file: string;
  readonly folder: string;
  /** Its name, if it is not that of the file. */
  readonly name?: string | undefined;
};

type InSomeFolder<Of extends Pick<DayChange, 'folder'>> = Omit<Of, 'folder'> & { readonly folder?: string };

const minute = 60_000;
const folders = ['Plans', 'Details', 'Site'];
const personOf = (number: number) => `person${String((number % 25) + 1).padStart(2, '0')}`;
/** Sizes of the uploads: 130 files. */
const uploads = [10, 13, 16, 18, 21, 26, 26];

/**
 * Returns the 400 changes of a working day from 8:00 to 18:00, in order: 25 people, 3 projects and a session; 16 sittings of one person at
 * one file with 15 saves 8 minutes apart, 7 uploads of three files a second, 6 single files, 5 renames, 4 moves, 9 deletions of which
 * twice three come 2 s apart, 5 documents within 4 s, and a finalized session. Always the same. Times are milliseconds since 8:00.
 */
export function changesOfDay(): DayChange[] {
  const changes: DayChange[] = [];
  const add = (change: InSomeFolder<DayChange>) =>
    changes.push({ folder: folders[(Number(/\d+/.exec(change.file)?.[0]) || 0) % 3] ?? '', ...change });
  for (let sitting = 0; sitting < 16; sitting += 1) {
    const start = (20 + (sitting * 400) / 15) * minute;
    for (let save = 0; save < 15; save += 1) {
      const atMs = start + save * 8 * minute;
      const file = `A-${101 + sitting}`;
      add({ atMs, what: 'save', eventType: 'Update', person: personOf(sitting), in: sitting % 3, file });
    }
  }
  for (const [upload, count] of uploads.entries()) {
    const start = (47 + upload * 73.3) * minute;
    for (let n = 0; n < count; n += 1) {
      const one = {
        person: personOf(upload + 16),
        in: upload % 3,
        file: `U${upload}-${n}`,
        folder: `Upload ${upload}`,
      };
      changes.push({ atMs: start + (n * 1_000) / 3, what: 'upload', eventType: 'Create', ...one });
    }
  }
  const single = (
    count: number,
    from: number,
    every: number,
    of: (n: number) => InSomeFolder<Omit<DayChange, 'atMs' | 'in'>>,
  ) => {
    for (let n = 0; n < count; n += 1) add({ atMs: (from + n * every) * minute, in: n % 3, ...of(n) });
  };
  single(6, 33, 91.7, (n) => ({ what: 'add', eventType: 'Create', person: personOf(n + 5), file: `S-${n}` }));
  single(5, 71, 103.9, (n) => ({
    what: 'rename',
    eventType: 'Update',
    person: personOf(n + 9),
    file: `U${n}-1`,
    folder: `Upload ${n}`,
    name: `Renamed ${n}.pdf`,
  }));
  single(4, 139, 107.3, (n) => ({
    what: 'move',
    eventType: 'Update',
    person: personOf(n + 2),
    file: `U${n}-2`,
    folder: 'Archive',
  }));
  single(3, 211, 121.1, (n) => ({
    what: 'delete',
    eventType: 'Delete',
    person: personOf(n),
    file: `U${n}-3`,
    folder: `Upload ${n}`,
  }));
  for (const [batch, at] of [279, 433].entries()) {
    for (let n = 0; n < 3; n += 1) {
      const one = {
        person: personOf(batch + 20),
        in: batch,
        file: `U${batch}-${4 + n}`,
        folder: `Upload ${batch}`,
      };
      changes.push({ atMs: at * minute + n * 2_000, what: 'delete', eventType: 'Delete', ...one });
    }
  }
  for (let n = 0; n < 5; n += 1) {
    const one = { person: personOf(24), in: 'session', file: `D-${n}` } as const;
    add({ atMs: 367 * minute + n * 1_000, what: 'document', eventType: 'Create', ...one });
  }
  add({
    atMs: 590 * minute,
    what: 'finalize',
    eventType: 'Update',
    person: personOf(24),
    in: 'session',
    file: 'Review',
  });
  return changes.sort((a, b) => a.atMs - b.atMs);
}
