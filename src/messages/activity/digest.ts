import type { Change } from '../../core/model/change.ts';
import { counted, forEye, grouped, item, joined, type Phrase, person, place, say } from '../text/phrase.ts';
import { actorOf, deeds, isShown, thing } from './deeds.ts';
import { byItem, type Group, groupChanges, isOfProject, wasRenamed } from './grouping.ts';
import { naturalOrder } from './item-lines.ts';
import { commonWithin, datedSentenceOf, headingOf, sentenceOf, timeSpan, withinOf } from './sentences.ts';

/** A row of a digest: items to which the same happened, or one item with all that happened to it. */
export type DigestRow = {
  /** The project or session, with counts, above its first row. */
  readonly heading: Phrase | null;
  readonly sentence: Phrase;
  /** The items whose names follow the sentence; null if it names them. */
  readonly group: Group | null;
  readonly changes: number;
  /** Whether it must be noticed, and so is not cut. */
  readonly notable?: boolean | undefined;
};

/** How the rows of a list differ from those of a digest. */
type RowOptions = {
  /** Whether each sentence starts with the sign of its verb. */
  readonly signed: boolean;
  /** Whether rows are only sorted by folder and name, also what must be noticed. */
  readonly byName?: boolean | undefined;
  /** Whether each row says when, with the day. */
  readonly dated?: boolean | undefined;
  /** Whether headings also count the changes of each person. */
  readonly people?: boolean | undefined;
};

/** Returns the rows of a summary or list, each item in one: for each project or session first what must be noticed, then the rest by folder. */
export function rowsOf(changes: readonly Change[], options: RowOptions): readonly DigestRow[] {
  const projects = Map.groupBy(changes, ({ within }) => within?.id ?? null);
  return [...projects.values()].flatMap((inside) => {
    const histories = byItem(inside);
    const simple = histories.filter(isSimple).flat();
    const rows = [
      ...groupChanges(simple).map((group) => ranked(group.changes, groupRow(group, options), options)),
      ...histories
        .filter((history) => !isSimple(history))
        .map((history) => ranked(history, itemRow(history, options), options)),
    ];
    rows.sort((a, b) =>
      options.byName
        ? naturalOrder(a.folder, b.folder) || naturalOrder(a.name, b.name)
        : Number(b.notable) - Number(a.notable) || naturalOrder(a.folder, b.folder),
    );
    const heading = projectLine(inside, options);
    return rows.map(({ row, notable }, index) => ({ ...row, notable, heading: index ? null : heading }));
  });
}

/** Returns the rows of a list with the newest change first. One of several projects or sessions is named in each row. */
export function newestFirst(changes: readonly Change[], signed: boolean): readonly DigestRow[] {
  const order = new Map(changes.map((change, index) => [change, index]));
  const newestOf = ({ changes: own }: Group): number => order.get(own.at(-1) as Change) ?? 0;
  const isOfOne = commonWithin(changes) !== null;
  return groupChanges(changes)
    .toSorted((a, b) => newestOf(b) - newestOf(a))
    .map((group) => {
      const row = groupRow({ ...group, things: group.things.toReversed() }, { signed, dated: true });
      const within = isOfOne ? null : withinOf(group.first);
      return within === null ? row : { ...row, sentence: say`${row.sentence} · ${within}` };
    });
}

/** Whether one person did one thing to an item in one folder, so that it can share a row with others. */
function isSimple(history: readonly Change[]): boolean {
  return groupChanges(history).length === 1;
}

type Ranked = {
  readonly row: DigestRow;
  readonly notable: boolean;
  readonly folder: string;
  readonly name: string;
};

function ranked(changes: readonly Change[], row: DigestRow, { byName = false }: RowOptions): Ranked {
  const notable = changes.some((change) => deeds[change.verb].notable === true || isOfProject(change));
  const names = byName ? changes.map(({ name }) => name ?? '').toSorted(naturalOrder) : [];
  return { row, notable, folder: (changes.at(-1)?.folder ?? []).join('/'), name: names[0] ?? '' };
}

function groupRow(group: Group, { signed, dated }: RowOptions): DigestRow {
  const sentence = dated
    ? withTime(sentenceOf(group, signed), group.changes)
    : datedSentenceOf(group, signed);
  return { heading: null, sentence, group, changes: group.changes.length };
}

function withTime(sentence: Phrase, changes: readonly Change[]): Phrase {
  const when = timeSpan(changes);
  return when === null ? sentence : say`${sentence} · ${when}`;
}

/** "A-102.pdf (was A-2.pdf) in Details: added, renamed, updated 3 times · Dana Ek, Sam Okafor" */
function itemRow(history: readonly Change[], { signed, dated }: RowOptions): DigestRow {
  const last = history.at(-1) as Change;
  const sign = signed ? [forEye(`${deeds[last.verb].sign} `, '')] : [];
  const verbs = runsOf(history);
  const names = [...new Set(history.map(actorOf))].map((name): Phrase => [person(name)]);
  const where = last.folder && last.folder.length > 0 ? say` in ${place(last.folder)}` : [];
  const name = isShown(last.name) ? [thing(last)] : say`${last.kind}`;
  const before = history.find(wasRenamed)?.previousName ?? null;
  const was = isShown(before) && before !== last.name ? say` (was ${item(before)})` : [];
  const sentence = say`${sign}${name}${was}${where}: ${joined(verbs, ', ')} · ${joined(names, ', ')}`;
  const shown = dated ? withTime(sentence, history) : sentence;
  return { heading: null, sentence: shown, group: null, changes: history.length };
}

/** Returns the verbs of an item in their order, each with how often it came in a row: "updated 3 times". */
function runsOf(history: readonly Change[]): readonly Phrase[] {
  const words = history.map(({ verb }) => deeds[verb].word);
  const starts = [...words.keys()].filter((at) => words[at] !== words[at - 1]);
  return starts.map((start, index): Phrase => {
    const times = (starts[index + 1] ?? words.length) - start;
    return [`${words[start]}${times === 1 ? '' : ` ${counted(times, 'time')}`}`];
  });
}

/** "Harbour Tower · 41 added, 3 updated, 2 deleted", with people on the next line; null if the project is unknown. */
function projectLine(changes: readonly Change[], { people }: RowOptions): Phrase | null {
  const [first] = changes;
  const name = first ? headingOf(first) : null;
  if (name === null) return null;
  const counts = Map.groupBy(changes, ({ verb }) => deeds[verb].word);
  const parts = Object.values(deeds).flatMap(({ word }): Phrase[] => {
    const same = counts.get(word);
    return same ? [[`${grouped(same.length)} ${word}`]] : [];
  });
  return say`${name} · ${joined(parts, ', ')}${people ? say`${forEye('\nBy ', '; by ')}${peopleIn(changes)}` : []}`;
}

/** How many people a heading names, those with the most changes. */
const peopleShown = 5;

/** "Dana Ek (41), Sam Okafor (4) and Lee Park (1)" */
function peopleIn(changes: readonly Change[]): Phrase {
  const people = [...Map.groupBy(changes, actorOf)].toSorted((a, b) => b[1].length - a[1].length);
  const shown = people.slice(0, peopleShown).map(([name, own]) => say`${person(name)} (${own.length})`);
  const more = people.length - shown.length;
  return more === 0
    ? joined(shown, ', ', ' and ')
    : say`${joined(shown, ', ')} and ${counted(more, 'other person', 'others')}`;
}
