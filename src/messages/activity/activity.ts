import type { KnownBlock } from '@slack/types';
import type { Change } from '../../core/model/change.ts';
import { grouped } from '../text/grouped.ts';
import { blocksBudget, charactersOf, howManyFit, limits } from '../text/limits.ts';
import { actions, context, type Message, present, requestButton, section } from '../text/message.ts';
import { andMore, counted, inMrkdwn, inText, joined, type Phrase, say } from '../text/phrase.ts';
import { deeds } from './deeds.ts';
import { areOfOne, changesIn, type Group, groupChanges, keysOfThing } from './grouping.ts';
import { activityMenu, type MenuAct, menuActs } from './menu.ts';
import { namesOf } from './names-of-group.ts';
import { commonWithin, dotted, happened, sentenceOf, withinOf } from './sentences.ts';
import { type SummaryReason, titleOf } from './summary-title.ts';
import { tableOf } from './table.ts';

/** `live`: changes posted as they happen. `summary`: changes that were held, under a title. */
type ActivityMode = 'live' | 'summary';

/** How messages look in a channel. */
export type ActivityLook = {
  /** Whether each sentence starts with the sign of its verb; an admin can turn that off. */
  readonly signs: boolean;
  /** Whether to name the project or session, which helps if the channel has more than one subscription. */
  readonly places: boolean;
  /** Whether Slack accepts data tables here. */
  readonly dataTables: boolean;
  /** What the menu offers, if it applies to the changes. */
  readonly offers: readonly MenuAct[];
};

export type Activity = {
  /** In order of arrival; at least one in `live`. */
  readonly changes: readonly Change[];
  readonly now: Date;
  readonly mode: ActivityMode;
  readonly look?: ActivityLook | undefined;
  /** How many changes were skipped because they had waited more than a week. */
  readonly skipped?: number | undefined;
  /** Whether the resource of a subscription was deleted, which ends the subscription. */
  readonly endedSubscription?: boolean | undefined;
  /** Why there is a summary, and since when it counts changes. */
  readonly because?: SummaryReason | undefined;
  readonly since?: Date | null | undefined;
  /** An announcement in the same message as the summary ("Dana unmuted this channel"). */
  readonly lead?: Message | undefined;
  /** The value of the **Show all** button, which is added if something is not shown. Without a value there is no button. */
  readonly showAllValue?: string | undefined;
};

/** The usual look of a channel with one subscription. */
export const plainLook: ActivityLook = { signs: true, places: false, dataTables: true, offers: menuActs };

/** The most groups that a message shows before it points to the full list. */
const groupsShown: Record<ActivityMode, number> = { live: 8, summary: 16 };

/** From this many changes on, a digest shows those that are not notable as a table. */
const tableFrom = 10;

/**
 * Renders changes as one message. One change is one sentence; several are grouped by actor, verb, kind and place. A live message orders
 * groups by their first change; a summary puts notable groups first and the rest by folder.
 *
 * @throws RangeError if a live message has no change, or if `showAllValue` is longer than Slack accepts
 */
export function renderActivity(activity: Activity): Message {
  return draw(activity).message;
}

/** Renders changes as one message; null if it has no room for some of them. */
export function renderIfRoom(activity: Activity): Message | null {
  const { message, unshown } = draw(activity);
  return unshown > 0 ? null : message;
}

/** `unshown`: how many changes the message neither describes nor counts among others. */
function draw(activity: Activity): { readonly message: Message; readonly unshown: number } {
  const { changes, mode } = activity;
  if (mode === 'live' && changes.length === 0) throw new RangeError('A live message needs a change');
  const look = activity.look ?? plainLook;
  const groups = groupChanges(changes);
  const { inLines, inTable } = layOut(groups, activity, look);
  const common = commonTo(activity, { look, groups });
  const head = mode === 'summary' ? [titleOf(activity)] : [];
  const tail = tailOf(activity, common);
  const room = charactersLeft(activity, { head, tail });
  const entries = whatFits(
    inLines.slice(0, groupsShown[mode]).map((group) => entryOf(group, { activity, look, common })),
    inTable.length > 0 ? { ...room, blocks: Math.floor(room.blocks / 2) } : room,
  );
  const left = room.blocks - charactersOf(entries.flatMap(({ blocks }) => blocks));
  const places = look.places && common.within === null;
  const areOthers = inLines.length > 0;
  const table =
    inTable.length > 0 ? tableOf(inTable, { signed: look.signs, places, room: left, areOthers }) : null;
  const shown = changesIn(entries.map(({ group }) => group)) + (table?.shown ?? 0);
  const more = changes.length - shown;
  const note = andMore(more, 'change');
  // The text counts what the table shows, for readers who only get the text.
  const counts: Phrase[] = table === null ? [] : [tableInWords(inTable, areOthers)];
  const isWhole = more === 0 && (table?.isWhole ?? true) && entries.every((entry) => entry.isWhole);
  const message: Message = {
    text: [
      ...(activity.lead ? [activity.lead.text] : []),
      ...head.map((line) => inText(say`${line}.`)),
      ...entries.map(({ text }) => text),
      ...[...counts, ...note, ...tail].map((line) => inText(say`${line}.`)),
    ].join(' '),
    blocks: withMenu(
      [
        ...(activity.lead?.blocks ?? []),
        ...head.map((line) => section([line])),
        ...entries.flatMap(({ blocks }) => blocks),
        ...(table === null ? [] : [table.block]),
        ...[...note, ...tail].map(context),
      ],
      { activity, look, isWhole },
    ),
  };
  return { message, unshown: more };
}

/**
 * Decides which groups are lines and which go into a table: in a long digest, the ones that are not notable. Other summaries mostly
 * contain many changes of one kind, which a single line says better.
 */
function layOut(
  groups: readonly Group[],
  { mode, because }: Activity,
  look: ActivityLook,
): { readonly inLines: readonly Group[]; readonly inTable: readonly Group[] } {
  if (mode === 'live') return { inLines: groups, inTable: [] };
  const { notable, rest } = inDigestOrder(groups);
  return look.dataTables && because === 'digest' && changesIn(rest) >= tableFrom
    ? { inLines: notable, inTable: rest }
    : { inLines: [...notable, ...rest], inTable: [] };
}

function tableInWords(groups: readonly Group[], areOthers: boolean): Phrase {
  const people = new Set(groups.map(({ first }) => first.actorEmail ?? first.actorName));
  const changes = counted(changesIn(groups), areOthers ? 'other change' : 'change');
  return say`${changes} by ${counted(people.size, 'person', 'people')}`;
}

/** Characters reserved for "… and 1,000 more changes", the button and the menu. */
const noteAndButtons = 600;
/** The longest text of one entry, which leaves room for the rest of the message. */
const entryText = 2_800;

type Characters = { readonly blocks: number; readonly text: number };

function charactersLeft(
  { lead }: Activity,
  { head, tail }: { readonly head: readonly Phrase[]; readonly tail: readonly Phrase[] },
): Characters {
  const used = (render: (line: Phrase) => string) =>
    [...head, ...tail].reduce((sum, line) => sum + render(line).length + 2, noteAndButtons);
  return {
    blocks: blocksBudget - used(inMrkdwn) - charactersOf(lead?.blocks ?? []),
    text: limits.text - used(inText) - (lead?.text.length ?? 0),
  };
}

/** Returns as many entries as fit into both the blocks and the text, but at least one if there is any. */
function whatFits(entries: readonly Entry[], room: Characters): readonly Entry[] {
  const inBlocks = howManyFit(
    entries.map(({ blocks }) => charactersOf(blocks)),
    room.blocks,
  );
  const inTheText = howManyFit(
    entries.map(({ text }) => text.length + 1),
    room.text,
  );
  return entries.slice(0, Math.max(1, Math.min(inBlocks, inTheText)));
}

type Entry = {
  readonly group: Group;
  readonly blocks: readonly KnownBlock[];
  readonly text: string;
  /** Whether it names everything that changed. */
  readonly isWhole: boolean;
};

/** What is said once for all groups of a message instead of below each. */
type Common = { readonly within: Phrase | null; readonly when: Phrase | null };

/** Finds what all changes share. A live message says it in a line below; a summary's title already names the project and the time. */
function commonTo(
  { changes, now, mode }: Activity,
  { look, groups }: { readonly look: ActivityLook; readonly groups: readonly Group[] },
): Common {
  const shared = commonWithin(changes);
  const [first] = changes;
  const within = shared === null || !first || groups.length < 2 ? null : withinOf({ ...first, kind: 'item' });
  if (mode === 'summary') return { within, when: null };
  const when = groups.length > 1 ? happened(changes, now) : null;
  return { within: look.places ? within : null, when };
}

function entryOf(
  group: Group,
  {
    activity,
    look,
    common,
  }: { readonly activity: Activity; readonly look: ActivityLook; readonly common: Common },
): Entry {
  const { mode, now } = activity;
  const sentence = sentenceOf(group, look.signs);
  const names = namesOf(group, limits.sectionText - inMrkdwn(sentence).length);
  const line: Phrase = names.words === null ? sentence : say`${sentence}: ${names.words}`;
  const within = look.places && common.within === null ? withinOf(group.first) : null;
  const when = mode === 'live' && common.when === null ? happened(group.changes, now) : null;
  const small = dotted([within, when]);
  const spoken = [line, within === null ? null : say`in ${within}`, when].filter((part) => part !== null);
  return {
    group,
    blocks: [section([line]), ...(small === null ? [] : [context(small)])],
    text: inText(say`${joined(spoken, ', ')}.`, entryText),
    isWhole: names.isWhole,
  };
}

/** Returns the small closing lines. */
function tailOf({ endedSubscription = false, changes, mode }: Activity, { within, when }: Common): Phrase[] {
  const all = mode === 'live' ? dotted([within, when]) : null;
  return [...(all === null ? [] : [all]), ...(endedSubscription ? [ending(changes)] : [])];
}

function ending(changes: readonly Change[]): Phrase {
  const kinds = new Set(changes.filter(({ verb }) => verb === 'deleted').map(({ kind }) => kind));
  const [kind] = kinds;
  const what =
    kinds.size !== 1 || kind === undefined || kind === 'other' ? say`what it followed` : say`the ${kind}`;
  return say`Subscription ended: ${what} was deleted`;
}

/** Adds the menu: beside the sentence for one change, else in a row below, with **Show all** unless everything is already shown. */
function withMenu(
  blocks: KnownBlock[],
  {
    activity,
    look,
    isWhole,
  }: { readonly activity: Activity; readonly look: ActivityLook; readonly isWhole: boolean },
): KnownBlock[] {
  const { changes, mode, showAllValue } = activity;
  const menu = activityMenu(changes, look.offers);
  if (areOfOne(changes) && mode === 'live') {
    const [first, ...others] = blocks;
    return menu && first?.type === 'section' ? [{ ...first, accessory: menu }, ...others] : blocks;
  }
  const label = `Show all ${grouped(changes.length)}`;
  const row = present([
    showAllValue !== undefined &&
      !isWhole &&
      requestButton(label, { act: 'show-all', page: 0 }, { spokenAfter: say` changes` }),
    menu,
  ]);
  return row.length === 0 ? blocks : [...blocks, actions(row)];
}

/** A digest's groups: the notable ones, and the rest by folder. */
type DigestOrder = { readonly notable: readonly Group[]; readonly rest: readonly Group[] };

/** Notable are deletions, finalizing, expiry, and changes to a project or session itself. */
function isNotable({ verb, kind }: Change): boolean {
  return deeds[verb].notable === true || kind === 'project' || kind === 'session';
}

type Rank = { readonly folder: string; readonly index: number; readonly group: Group };

/** Puts notable groups first and orders the rest by folder, but never reorders the changes to one item. */
function inDigestOrder(groups: readonly Group[]): DigestOrder {
  const notable: Group[] = [];
  const rest: Rank[] = [];
  const latest = new Map<string, string>();
  for (const [index, group] of groups.entries()) {
    const keys = group.changes.flatMap(keysOfThing);
    const before = keys.flatMap((key) => latest.get(key) ?? []);
    if (isNotable(group.first) && before.length === 0) {
      notable.push(group);
    } else {
      const folder = before.reduce(later, folderKey(group.first));
      rest.push({ folder, index, group });
      for (const key of keys) latest.set(key, folder);
    }
  }
  rest.sort((a, b) => (a.folder === b.folder ? a.index - b.index : a.folder < b.folder ? -1 : 1));
  return { notable, rest: rest.map(({ group }) => group) };
}

const later = (one: string, other: string) => (one > other ? one : other);

function folderKey({ within, folder }: Change): string {
  return JSON.stringify([within?.name ?? within?.id ?? '', folder ?? []]);
}
