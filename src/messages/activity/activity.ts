import type { KnownBlock } from '@slack/types';
import type { Change } from '../../core/model/change.ts';
import { actionIds } from '../text/action-ids.ts';
import { blocksBudget, charactersOf, howManyFit, limits } from '../text/limits.ts';
import { actions, button, context, type Message, section } from '../text/message.ts';
import { counted, inMrkdwn, inText, joined, type Phrase, strong, time } from '../text/phrase.ts';
import { type Group, groupChanges } from './grouping.ts';
import { below, nameInList, notify, tellCommonWithin, tellTime, tellWithin } from './sentences.ts';

/** `live`: as it happens. `summary`: what had waited, under a title that says so. */
export type ActivityMode = 'live' | 'summary';

export type Activity = {
  /** At least one in `live`, in the order they came. */
  readonly changes: readonly Change[];
  readonly now: Date;
  readonly mode: ActivityMode;
  /** How many were left out because they had waited more than a week. */
  readonly leftOut?: number | undefined;
  /** A followed thing itself was deleted, and its subscription ends with this. */
  readonly endedSubscription?: boolean | undefined;
  /** Why there is a summary, and from when on it counts. */
  readonly because?: SummaryReason | undefined;
  readonly since?: Date | null | undefined;
  /** Sent back by **Show all**; without it there is no such button. */
  readonly showAllValue?: string | undefined;
};

export type SummaryReason = 'digest' | 'muted' | 'paused' | 'downtime';

const minute = 60_000;
/** Older than this when posted, a message says when it happened. */
const lateMs = 15 * minute;
/** Groups a message tells before it points to the full list; more would be a wall. */
const groupsShown: Record<ActivityMode, number> = { live: 8, summary: 16 };
/** Names a group tells, unless one more would be all of them. */
const namesShown = 3;

/**
 * What happened, as one message. One change is one sentence; several are grouped by who did what to which kind of thing and where,
 * in the order of first happening.
 *
 * @throws RangeError in `live` without a change, and where `showAllValue` is longer than Slack takes
 */
export function renderActivity(activity: Activity): Message {
  const { changes, mode } = activity;
  if (mode === 'live' && changes.length === 0) throw new RangeError('A live message needs a change');
  const groups = groupChanges(changes);
  const common = groups.length > 1 ? commonTo(activity) : nothingCommon;
  const head = mode === 'summary' ? [titleOf(activity)] : [];
  const tail = tailOf(activity, common);
  const entries = whatFits(
    groups.slice(0, groupsShown[mode]).map((group) => entryOf(group, activity, common)),
    { head, tail },
  );
  const told = entries.reduce((sum, { group }) => sum + group.changes.length, 0);
  const untold = changes.length - told;
  const note = untold === 0 ? [] : [[`… and ${counted(untold, 'more change')}`]];
  const isShort = untold > 0 || entries.some(({ namesOmitted }) => namesOmitted > 0);
  return {
    text: [
      ...head.map((line) => inText([...line, '.'])),
      ...entries.map(({ text }) => text),
      ...[...note, ...tail.map((parts) => joined(parts, ', '))].map((line) => inText([...line, '.'])),
    ].join(' '),
    blocks: [
      ...head.map((line) => section([line])),
      ...entries.flatMap(({ blocks }) => blocks),
      ...[...note, ...tail.map((parts) => joined(parts, ' · '))].map(context),
      ...(isShort ? showAll(activity) : []),
    ],
  };
}

/** Room for "… and 1,000 more changes" and for the button. */
const noteAndButton = 200;
/** However long its parts are, one entry leaves room for what is around it. */
const entryText = 2_800;

/** As many entries as fit into the blocks and into the text, and one at least where there is any. */
function whatFits(
  entries: readonly Entry[],
  around: { head: readonly Phrase[]; tail: Tail },
): readonly Entry[] {
  const lines = [...around.head, ...around.tail.map((parts) => joined(parts, ' · '))];
  const used = (render: (line: Phrase) => string) =>
    lines.reduce((sum, line) => sum + render(line).length + 2, noteAndButton);
  const inBlocks = howManyFit(
    entries.map(({ blocks }) => charactersOf(blocks)),
    blocksBudget - used(inMrkdwn),
  );
  const inTheText = howManyFit(
    entries.map(({ text }) => text.length + 1),
    limits.text - used(inText),
  );
  return entries.slice(0, Math.max(1, Math.min(inBlocks, inTheText)));
}

type Entry = {
  readonly group: Group;
  readonly blocks: readonly KnownBlock[];
  readonly text: string;
  readonly namesOmitted: number;
};

/** What is said once for all groups of a message, instead of below each. */
type Common = { readonly within: Phrase | null; readonly when: Phrase | null };

const nothingCommon: Common = { within: null, when: null };

function commonTo({ changes, now, mode }: Activity): Common {
  const within = tellCommonWithin(changes);
  if (within === null) return nothingCommon;
  const short = latestOf(changes) - earliestOf(changes) <= lateMs;
  return { within, when: mode === 'live' && short ? tellWhen(changes, { now, mode }) : null };
}

function tellWhen(changes: readonly Change[], { now, mode }: Pick<Activity, 'now' | 'mode'>): Phrase | null {
  const when = tellTime(changes);
  if (when === null || mode === 'summary') return when;
  return now.getTime() - latestOf(changes) > lateMs ? ['happened ', ...when] : when;
}

function latestOf(changes: readonly Change[]): number {
  return changes.reduce((latest, { happenedAt }) => Math.max(latest, happenedAt.getTime()), -Infinity);
}

function earliestOf(changes: readonly Change[]): number {
  return changes.reduce((earliest, { happenedAt }) => Math.min(earliest, happenedAt.getTime()), Infinity);
}

function entryOf(group: Group, activity: Activity, common: Common): Entry {
  const sentence = notify(group);
  const names = namesOf(group, limits.sectionText - inMrkdwn(sentence).length);
  const within = common.within === null ? tellWithin(group.first) : null;
  const when = common.when === null ? tellWhen(group.changes, activity) : null;
  const small = below([within, when]);
  const namesInText = names.phrase === null ? [] : [': ', ...names.phrase];
  return {
    group,
    blocks: [
      section(names.phrase === null ? [sentence] : [sentence, names.phrase]),
      ...(small === null ? [] : [context(small)]),
    ],
    text: inText(
      [...joined([[...sentence, ...namesInText], ...present([within, when])], ', '), '.'],
      entryText,
    ),
    namesOmitted: names.leftOut,
  };
}

type Names = { readonly phrase: Phrase | null; readonly leftOut: number };

function namesOf(group: Group, room: number): Names {
  const names = present(group.things.map(nameInList));
  if (group.things.length === 1 || names.length === 0) return { phrase: null, leftOut: 0 };
  const wanted = names.length <= namesShown + 1 ? names.length : namesShown;
  const note = ' and 1,000,000 more'.length;
  const sizes = names.slice(0, wanted).map((name) => inMrkdwn(name).length + ', '.length);
  const shown = names.slice(0, howManyFit(sizes, room - note));
  const leftOut = names.length - shown.length;
  if (shown.length === 0) return { phrase: null, leftOut };
  if (leftOut === 0) return { phrase: joined(shown, ', ', ' and '), leftOut };
  return { phrase: [...joined(shown, ', '), ` and ${leftOut.toLocaleString('en')} more`], leftOut };
}

function titleOf({ changes, leftOut = 0, because, since }: Activity): Phrase {
  const verb = leftOut === 1 ? 'is' : 'are';
  if (changes.length === 0) {
    if (leftOut === 0) return ['There is nothing to tell'];
    return [`${counted(leftOut, 'change')} had waited for over a week and ${verb} left out`];
  }
  return [
    strong(counted(changes.length, 'change')),
    ...(since ? [' since ', time(since)] : []),
    ...(because === undefined ? [] : [meanwhile[because]]),
    ...(leftOut === 0
      ? []
      : [`. ${counted(leftOut, 'more', 'more')} had waited for over a week and ${verb} left out`]),
  ];
}

const meanwhile: Record<SummaryReason, string> = {
  digest: '',
  muted: ', while I was muted here',
  paused: ', while I could not post here',
  downtime: ', while I was away',
};

type Tail = readonly (readonly Phrase[])[];

/** Closing lines, each in parts that a dot separates for the eye and a comma for the ear. */
function tailOf({ endedSubscription = false }: Activity, { within, when }: Common): Tail {
  const all = present([within === null ? null : ['All in ', ...within], when]);
  const ended = 'This channel followed what was deleted, so that subscription has ended';
  return [...(all.length === 0 ? [] : [all]), ...(endedSubscription ? [[[ended]]] : [])];
}

function showAll({ changes, showAllValue }: Activity): KnownBlock[] {
  if (showAllValue === undefined) return [];
  const label = `Show all ${changes.length.toLocaleString('en')}`;
  const spoken = [`Show all ${counted(changes.length, 'change')}`];
  return [actions([button({ actionId: actionIds.showAll, label, value: showAllValue, spoken })])];
}

function present<T>(values: readonly (T | null)[]): readonly T[] {
  return values.filter((value) => value !== null);
}
