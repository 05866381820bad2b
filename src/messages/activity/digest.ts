import type { Change } from '../../core/model/change.ts';
import { grouped } from '../text/grouped.ts';
import { counted, forEye, item, joined, type Phrase, person, place, say } from '../text/phrase.ts';
import { actorOf, deeds, isShown, thing } from './deeds.ts';
import { type Group, groupChanges, isOfProject, keysOfThing, wasRenamed } from './grouping.ts';
import { datedSentenceOf, headingOf } from './sentences.ts';

/** A row of a digest: items to which the same happened, or one item with all that happened to it. */
export type DigestRow = {
  /** The project or session, with counts, above its first row. */
  readonly heading: Phrase | null;
  readonly sentence: Phrase;
  /** The items whose names follow the sentence; null if it names them. */
  readonly group: Group | null;
  readonly changes: number;
};

/**
 * Returns the rows of a summary: for each project or session first what must be noticed, then the rest by folder. Each item is in one
 * row.
 */
export function rowsOf(changes: readonly Change[], signed: boolean): readonly DigestRow[] {
  const projects = Map.groupBy(changes, ({ within }) => within?.id ?? null);
  return [...projects.values()].flatMap((inside) => {
    const histories = byItem(inside);
    const simple = histories.filter(isSimple).flat();
    const rows = [
      ...groupChanges(simple).map((group) => ranked(group.changes, groupRow(group, signed))),
      ...histories
        .filter((history) => !isSimple(history))
        .map((history) => ranked(history, itemRow(history, signed))),
    ];
    rows.sort(
      (a, b) =>
        Number(b.notable) - Number(a.notable) || (a.folder < b.folder ? -1 : a.folder > b.folder ? 1 : 0),
    );
    return rows.map(({ row }, index) => (index === 0 ? { ...row, heading: projectLine(inside) } : row));
  });
}

/** Returns all changes of each item, in order. */
function byItem(changes: readonly Change[]): readonly (readonly Change[])[] {
  const histories = new Set<Change[]>();
  const of = new Map<string, Change[]>();
  for (const change of changes) {
    const keys = change.itemId === null ? keysOfThing(change) : [change.itemId];
    const known = keys.map((key) => of.get(key)).find((history) => history !== undefined);
    const history = known ?? [];
    history.push(change);
    histories.add(history);
    for (const key of keys) of.set(key, history);
  }
  return [...histories];
}

/** Whether one person did one thing to an item, so that it can share a row with others. */
function isSimple([first, ...others]: readonly Change[]): boolean {
  return others.every((change) => change.verb === first?.verb && actorOf(change) === actorOf(first));
}

type Ranked = { readonly row: DigestRow; readonly notable: boolean; readonly folder: string };

function ranked(changes: readonly Change[], row: DigestRow): Ranked {
  const notable = changes.some((change) => deeds[change.verb].notable === true || isOfProject(change));
  return { row, notable, folder: JSON.stringify(changes.at(-1)?.folder ?? []) };
}

function groupRow(group: Group, signed: boolean): DigestRow {
  return { heading: null, sentence: datedSentenceOf(group, signed), group, changes: group.changes.length };
}

/** "A-102.pdf (was A-2.pdf) in Details: added, renamed, updated 3 times · Dana Ek, Sam Okafor" */
function itemRow(history: readonly Change[], signed: boolean): DigestRow {
  const last = history.at(-1) as Change;
  const sign = signed ? [forEye(`${deeds[last.verb].sign} `, '')] : [];
  const verbs = runsOf(history).map(
    ({ word, times }): Phrase => [times === 1 ? word : `${word} ${counted(times, 'time')}`],
  );
  const names = [...new Set(history.map(actorOf))].map((name): Phrase => [person(name)]);
  const where = last.folder && last.folder.length > 0 ? say` in ${place(last.folder)}` : [];
  const name = isShown(last.name) ? [thing(last)] : say`${last.kind}`;
  const before = history.find(wasRenamed)?.previousName ?? null;
  const was = isShown(before) && before !== last.name ? say` (was ${item(before)})` : [];
  const sentence = say`${sign}${name}${was}${where}: ${joined(verbs, ', ')} · ${joined(names, ', ')}`;
  return { heading: null, sentence, group: null, changes: history.length };
}

/** Returns the verbs of an item in their order, each with how often it came in a row. */
function runsOf(history: readonly Change[]): readonly { readonly word: string; readonly times: number }[] {
  const runs: { readonly word: string; times: number }[] = [];
  for (const { verb } of history) {
    const { word } = deeds[verb];
    const last = runs.at(-1);
    if (last?.word === word) last.times += 1;
    else runs.push({ word, times: 1 });
  }
  return runs;
}

/** "Harbour Tower · 41 added, 3 updated, 2 deleted"; null if the project is unknown. */
function projectLine(changes: readonly Change[]): Phrase | null {
  const [first] = changes;
  const name = first ? headingOf(first) : null;
  if (name === null) return null;
  const counts = Map.groupBy(changes, ({ verb }) => deeds[verb].word);
  const parts = Object.values(deeds).flatMap(({ word }): Phrase[] => {
    const same = counts.get(word);
    return same ? [[`${grouped(same.length)} ${word}`]] : [];
  });
  return say`${name} · ${joined(parts, ', ')}`;
}
