import { followedWords } from '../../core/model/format-request.ts';
import type { Followed } from '../../core/model/request.ts';
import { linkedTarget, targetsOf } from '../../core/model/service-urls.ts';
import type { TargetKind } from '../../core/model/subscription.ts';
import { isItemId, maxItemIdLength, spelling } from '../../core/model/typed-text.ts';
import { type Holder, idAt, type TypedId } from './ids.ts';
import { type Line, longestKnown, type ValueFault } from './line.ts';
import { isGrammarWord, meaningOf } from './vocabulary.ts';
import type { Word } from './words.ts';

/** A word for what can be followed. `holder`: whose id stands behind it; `hasItem`: whether a second id does. */
type KindGrammar = { readonly word: TargetKind; readonly holder: Holder; readonly hasItem: boolean };

const kinds: readonly KindGrammar[] = [
  { word: 'project', holder: 'project', hasItem: false },
  { word: 'folder', holder: 'project', hasItem: true },
  { word: 'file', holder: 'project', hasItem: true },
  { word: 'session', holder: 'session', hasItem: false },
  { word: 'document', holder: 'session', hasItem: true },
];

/** What a line names to follow, as read so far. */
export type Targets = {
  found: Followed[];
  faults: ValueFault[];
  /** Words for kinds that no id has followed yet. */
  kindWords: Word[];
  /** Names, and what each stands for. */
  named: { readonly targets: readonly Followed[]; readonly words: readonly Word[] }[];
};

export const noTargets = (): Targets => ({ found: [], faults: [], kindWords: [], named: [] });

/** Reads an id or a link, with the word for its kind before or after it, if one is next. */
export function readTarget(line: Line, targets: Targets): boolean {
  const word = line.peek();
  const meaning = meaningOf('kind', word);
  const kind = kinds.find((each) => each.word === meaning?.word);
  if (!word || !kind || !meaning) return readItemLink(line, targets, 0) || readId(line, targets);
  const at = firstDigits(line);
  if (kind.hasItem && readItemLink(line, targets, at, kind)) {
    line.noteSlip(meaning.isSlip);
    return true;
  }
  const id = idAt((ahead) => line.peek(at + ahead), kind.holder);
  line.noteSlip(meaning.isSlip);
  line.take(id ? at + id.count : 1);
  if (id) addTarget(line, targets, { kind, id });
  else targets.kindWords.push(word);
  return true;
}

/** Reads a link to a file, folder or document. It is both a file and a folder if the word before it does not say which. */
function readItemLink(line: Line, targets: Targets, ahead: number, kind?: KindGrammar): boolean {
  const word = line.peek(ahead);
  const url = word?.mark?.kind === 'link' ? word.mark.url : (word?.text ?? '');
  const linked = line.with.templates ? linkedTarget(url, line.with.templates) : null;
  if (linked === null || !('itemId' in linked || 'documentId' in linked)) return false;
  line.take(ahead + 1);
  const both = targetsOf(linked);
  const said = both.filter((target) => target.kind === kind?.word);
  for (const target of said.length > 0 ? said : both) add(targets, target);
  return true;
}

/** Returns how far ahead the next word after a kind is that is more than a sign, as in `project - 412-873-550`. */
function firstDigits(line: Line): number {
  let ahead = 1;
  while (ahead < 4 && /^[^\p{L}\p{N}]+$/u.test(line.peek(ahead)?.text ?? '')) ahead += 1;
  return ahead;
}

/** Reads the name of what to follow, if one is next: the longest. One that is a word of the grammar counts only in quotes. */
export function readNamed(line: Line, targets: Targets): boolean {
  const { names } = line.with;
  if (!names || names.size === 0) return false;
  const isWord = (first: Word, count: number) => count === 1 && isGrammarWord(first);
  const found = longestKnown(line, 0, (name, first, count) => names.has(name) && !isWord(first, count));
  if (found === null) return false;
  const words = Array.from({ length: found.count }, (_, ahead) => line.peek(ahead) ?? []).flat();
  targets.named.push({ targets: names.get(spelling(found.text)) ?? [], words });
  line.take(found.count);
  return true;
}

/**
 * Adds what the names stand for. Beside an id or a link, only that resource's own name is one, and the words of others are left out; so are
 * words for kinds without an id, unless they say what a name stands for, or which of two a link leads to.
 */
export function settleNames(line: Line, targets: Targets): void {
  const typed = targets.found;
  for (const { targets: fitting, words } of targets.named) {
    const own =
      typed.length === 0 ? fitting : fitting.filter((one) => typed.some((other) => isSame(one, other)));
    for (const target of own) add(targets, target);
    if (own.length === 0) line.leaveOut(words);
  }
  const isSaid = ({ kind }: Followed) =>
    targets.kindWords.some((word) => kind === meaningOf('kind', word)?.word);
  const said = isOneItem(targets.found) ? targets.found.filter(isSaid) : [];
  if (said.length === 1) targets.found = said;
  const named = typed.length === 0 || said.length === 1 ? targets.found : [];
  line.leaveOut(
    targets.kindWords.filter((word) => !named.some(({ kind }) => kind === meaningOf('kind', word)?.word)),
  );
}

/** Whether these are one item, as a file and as a folder. */
function isOneItem([one, other, more]: readonly Followed[]): boolean {
  const areItems = one && other && !more && 'itemId' in one && 'itemId' in other;
  return areItems === true && one.itemId === other.itemId;
}

function readId(line: Line, targets: Targets): boolean {
  const before = holderKinds.find(
    ({ word }) => meaningOf('kind', targets.kindWords.at(-1) ?? null)?.word === word,
  );
  const id = idAt(line.peek, before?.holder ?? null);
  if (id === null) return false;
  line.take(id.count);
  const behind = before ?? kindBehind(line);
  if (before) targets.kindWords.pop();
  addTarget(line, targets, { kind: behind, id });
  return true;
}

const holderKinds = kinds.filter(({ hasItem }) => !hasItem);

/** Takes `project` or `session` after an id, unless another id follows it. */
function kindBehind(line: Line): KindGrammar | null {
  const meaning = meaningOf('kind', line.peek());
  const kind = holderKinds.find(({ word }) => word === meaning?.word) ?? null;
  if (!kind || !meaning || idAt((ahead) => line.peek(1 + ahead), kind.holder)) return null;
  line.noteSlip(meaning.isSlip);
  line.take();
  return kind;
}

function addTarget(
  line: Line,
  targets: Targets,
  { kind, id: { id, holder } }: { readonly kind: KindGrammar | null; readonly id: TypedId },
): void {
  // A link to a session after `project` names both.
  if (kind && holder && kind.holder !== holder) add(targets, ofHolder(holder, id));
  if (!kind?.hasItem) {
    add(targets, ofHolder(kind?.holder ?? holder, id));
    return;
  }
  const item = line.peek();
  const isTyped = item !== null && !isGrammarWord(item);
  if (isTyped) line.take();
  const itemId = isTyped ? item.text.trim() : '';
  if (!isItemId(itemId)) targets.faults.push(withoutItem(line, kind, id, isTyped ? item : null));
  else if (kind.word === 'document') add(targets, { kind: kind.word, sessionId: id, documentId: itemId });
  else add(targets, { kind: kind.word === 'folder' ? 'folder' : 'file', projectId: id, itemId });
}

function ofHolder(holder: Holder | null, id: string): Followed {
  if (holder === null) return { kind: 'unknown', id };
  return holder === 'project' ? { kind: holder, projectId: id } : { kind: holder, sessionId: id };
}

/** Adds what is followed, once: an id alone is the same as the project or session that the line says it is. */
function add(targets: Targets, target: Followed): void {
  const { found } = targets;
  if (found.some((one) => isSame(one, target))) return;
  targets.found = [...found.filter((one) => !isSame(target, one)), target];
}

function isSame(one: Followed, other: Followed): boolean {
  const words = followedWords(one);
  if (other.kind !== 'unknown') return words === followedWords(other);
  return [other.id, `project ${other.id}`, `session ${other.id}`].includes(words);
}

/** A link leads to an item only where the admin set the address of such links. */
function withoutItem(line: Line, { word }: KindGrammar, id: string, item: Word | null): ValueFault {
  const isRead = line.with.templates?.[word === 'document' ? 'document' : 'item'] !== undefined;
  const expected = item
    ? `the ${word}’s id, which has at most ${maxItemIdLength} characters and no slashes`
    : `the ${word}’s id after it${isRead ? '. Or paste its link instead' : ''}`;
  return { option: `${word} ${id}`, value: item?.text ?? null, expected };
}
