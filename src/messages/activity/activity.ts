import type { KnownBlock, Overflow } from '@slack/types';
import { type Change, someone } from '../../core/model/change.ts';
import type { Mentioned } from '../../core/model/subscription.ts';
import { blocksBudget, charactersOf, howManyFit, limits } from '../text/limits.ts';
import { buttonRow, context, type Message, menu, requestButton, section } from '../text/message.ts';
import {
  andMore,
  grouped,
  inMrkdwn,
  inPlain,
  inText,
  joined,
  mention,
  type Phrase,
  plainly,
  say,
} from '../text/phrase.ts';
import { actorOf } from './deeds.ts';
import { type DigestRow, rowsOf } from './digest.ts';
import { actorKey, areOfOne, groupChanges, hasMoved, isOfProject } from './grouping.ts';
import { namesOf } from './item-lines.ts';
import { datedSentenceOf, happened, headingOf, inSeveral, type SummaryReason, titleOf } from './sentences.ts';

/** Everything that a menu can offer. */
export const menuActs = ['mute-item', 'hide-person', 'follow-item', 'edit-shown', 'why-message'] as const;

/** An entry in the menu of an activity message. */
type MenuAct = (typeof menuActs)[number];

/** Returns the menu of a message about these changes; null if no offer applies, or if the first change is not a stored event. */
export function activityMenu(changes: readonly Change[], offers: readonly MenuAct[]): Overflow | null {
  const [first] = changes;
  if (!first || first.eventId === null) return null;
  const isItem = first.kind !== 'project' && first.kind !== 'session' && first.kind !== 'other';
  // Nothing more comes of what was deleted.
  const isOne = areOfOne(changes) && changes.at(-1)?.verb !== 'deleted';
  const hidden = nameToHide(changes);
  const labels: Record<MenuAct, string | null> = {
    'mute-item': isOne && (isItem || first.kind === 'session') ? `Mute this ${first.kind} here` : null,
    'hide-person': hidden === null ? null : `Hide ${hidden} changes here`,
    'follow-item': isOne && isItem && first.kind !== 'document' ? 'Follow it in a DM' : null,
    'edit-shown': 'Edit subscription',
    'why-message': 'Why am I seeing this?',
  };
  const { eventId: seq } = first;
  const entries = menuActs.flatMap((act) => {
    const label = offers.includes(act) ? labels[act] : null;
    return label === null ? [] : [{ label, request: act === 'why-message' ? { act } : { act, seq } }];
  });
  return entries.length === 0 ? null : menu(entries);
}

/** Returns "Dana Ek’s" if one known person made all changes, "this person’s" if their name may not be shown; else null. */
function nameToHide(changes: readonly Change[]): string | null {
  const people = new Set(changes.map(actorKey));
  const [first] = changes;
  if (people.size !== 1 || !first || first.actorEmail === null) return null;
  const name = actorOf(first);
  return name === someone ? 'this person’s' : `${inPlain([plainly(name)], nameMost)}’s`;
}

/** The longest name, which leaves room for the other words in an option of 75 characters. */
const nameMost = 50;

/** How messages look in a channel. */
export type ActivityLook = {
  /** Whether each sentence starts with the sign of its verb; an admin can turn that off. */
  readonly signs: boolean;
  /** Whether to name the project or session, which helps if the channel has more than one subscription. */
  readonly places: boolean;
  /** Whether the message is a reply in the thread of its items, which shows where they are. */
  readonly isReply?: boolean | undefined;
  /** What the menu offers, if it applies to the changes. */
  readonly offers: readonly MenuAct[];
};

export type Activity = {
  /** In order of arrival; at least one in `live`. */
  readonly changes: readonly Change[];
  readonly now: Date;
  /** `live`: changes posted as they happen. `summary`: changes that were held, under a title. */
  readonly mode: 'live' | 'summary';
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
  /** Whom a new live message mentions; missing in an edit, so nobody is pinged again. */
  readonly mentioned?: readonly Mentioned[] | undefined;
};

/** The usual look of a channel with one subscription. */
export const plainLook: ActivityLook = { signs: true, places: false, offers: menuActs };

/** The most rows that a message shows before it points to the full list. */
const rowsShown = { live: 20, summary: 100 };

/**
 * Renders changes as one message. Of a live one, each section is one person, verb, kind and folder, in the order of their first changes;
 * the rows of a summary are in the order of `rowsOf`. Throws a RangeError if a live message has no change.
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
  const { changes, mode, lead } = activity;
  if (mode === 'live' && changes.length === 0) throw new RangeError('A live message needs a change');
  const look = activity.look ?? plainLook;
  const rows = mode === 'live' ? liveRows(activity, look) : rowsOf(changes, { signed: look.signs });
  const head = mode === 'summary' ? [titleOf(activity)] : [];
  const tail = activity.endedSubscription ? [ending(changes)] : [];
  const pings = pingLine(activity);
  const wanted = mode === 'live' ? rows : byImportance(rows);
  const entries = whatFits(
    wanted.slice(0, rowsShown[mode]).map((row) => entryOf(row, activity)),
    charactersLeft(activity, [...head, ...tail, ...pings]),
  ).toSorted((a, b) => rows.indexOf(a.row) - rows.indexOf(b.row));
  const unshown = changes.length - entries.reduce((sum, { row }) => sum + row.changes, 0);
  // It stands below the last project, and counts the changes of all.
  const more = andMore(unshown, 'change').map((line) => say`${line}${inSeveral(changes, ' in these ')}`);
  const closing = [...more, ...tail];
  const blocks = [
    ...(lead?.blocks ?? []),
    ...head.map((line) => section([line])),
    ...(mode === 'live' ? entries.flatMap(liveBlocks) : packed(entries)),
    ...closing.map(context),
    ...pings.map((line) => section([line])),
  ];
  const spoken = [
    ...(lead ? [lead.text] : []),
    ...head.map((line) => inText(say`${line}.`)),
    ...entries.map(({ text }) => text),
    ...closing.map((line) => inText(say`${line}.`)),
  ];
  return { message: { text: spoken.join(' '), blocks: withMenu(blocks, activity, look) }, unshown };
}

/** Returns the rows of a live message: groups, below the project or session if the channel has several. */
function liveRows({ changes }: Activity, look: ActivityLook): DigestRow[] {
  const shown = look.isReply ? changes.map(withoutPlace) : changes;
  let above: string | undefined;
  return groupChanges(shown).map((group) => {
    const { first } = group;
    const within = look.places && !look.isReply && !isOfProject(first) ? first.within?.id : undefined;
    const heading = within !== undefined && within !== above ? headingOf(first) : null;
    above = within;
    return { heading, sentence: datedSentenceOf(group, look.signs), group, changes: group.changes.length };
  });
}

/** What a reply says of a change: its thread shows where the item is, but not where it was moved to. */
const withoutPlace = (change: Change): Change => (hasMoved(change) ? change : { ...change, folder: null });

/**
 * Returns the rows of a summary in the order in which they get room: the first of each project or session, what must be noticed, then the others
 * of each in turn. A long list of one project thus hides neither another project nor a deletion.
 */
function byImportance(rows: readonly DigestRow[]): readonly DigestRow[] {
  let place = 0;
  const ranked = rows.map((row) => {
    place = row.heading === null ? place + 1 : 0;
    return { row, rank: place > 0 && row.notable ? 0.5 : place };
  });
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ row }) => row);
}

/** Characters reserved for "… and 1,000 more changes", the button and the menu. */
const noteAndButtons = 600;
/** The longest text of one entry, which leaves room for the rest of the message. */
const entryText = 2_800;

type Characters = { readonly blocks: number; readonly text: number };

function charactersLeft({ lead }: Activity, lines: readonly Phrase[]): Characters {
  const used = (render: (line: Phrase) => string) =>
    lines.reduce((sum, line) => sum + render(line).length + 2, noteAndButtons);
  return {
    blocks: blocksBudget - used(inMrkdwn) - charactersOf(lead?.blocks ?? []),
    text: limits.text - used(inText) - (lead?.text.length ?? 0),
  };
}

/** Returns as many entries as fit into both the blocks and the text, but at least one if there is any. */
function whatFits(entries: readonly Entry[], room: Characters): readonly Entry[] {
  const sizes = entries.map(({ size }) => size);
  const lengths = entries.map(({ text }) => text.length + 1);
  const count = Math.min(howManyFit(sizes, room.blocks), howManyFit(lengths, room.text));
  return entries.slice(0, Math.max(1, count));
}

type Entry = {
  readonly row: DigestRow;
  /** The heading, if it has one, and the sentence. */
  readonly lines: readonly Phrase[];
  /** Of the lines, in characters. */
  readonly size: number;
  /** The small line below. */
  readonly small: Phrase | null;
  readonly text: string;
};

function entryOf(row: DigestRow, { mode, now }: Activity): Entry {
  const { heading, sentence, group } = row;
  const used = inMrkdwn(sentence).length + (heading ? inMrkdwn(heading).length : 0);
  const names = group && namesOf(group, limits.sectionText - used);
  const line: Phrase = names === null ? sentence : say`${sentence}:${names}`;
  const small = mode === 'live' && group ? happened(group.changes, now) : null;
  const end = mode === 'live' ? say`: ` : say`. `;
  const spoken = say`${heading ? say`${heading}${end}` : []}${line}${small ? say`. ${small}` : []}.`;
  const lines = heading ? [heading, line] : [line];
  const size = lines.reduce((sum, each) => sum + inMrkdwn(each).length + 1, 0);
  return { row, lines, size, small, text: inText(spoken, entryText) };
}

function liveBlocks({ lines, small }: Entry): KnownBlock[] {
  return [section(lines), ...(small === null ? [] : [context(small)])];
}

/** Puts the rows of a summary into as few sections as they fit into, one for each project or session at least. */
function packed(entries: readonly Entry[]): KnownBlock[] {
  const sections: Phrase[][] = [];
  let used = 0;
  for (const { row, lines, size } of entries) {
    if (sections.length === 0 || row.heading !== null || used + size > limits.sectionText) {
      sections.push([]);
      used = 0;
    }
    sections.at(-1)?.push(...lines);
    used += size;
  }
  return sections.map((lines) => section(lines));
}

/** Returns the line that mentions somebody, if the message may. The text has none: Slack would count a second mention. */
function pingLine({ mode, mentioned = [] }: Activity): Phrase[] {
  const pings = mode === 'live' ? mentioned.map((each): Phrase => [mention(each)]) : [];
  const shown = pings.filter((ping) => inMrkdwn(ping) !== '');
  return shown.length === 0 ? [] : [joined(shown, ' ')];
}

function ending(changes: readonly Change[]): Phrase {
  const kinds = new Set(changes.filter(({ verb }) => verb === 'deleted').map(({ kind }) => kind));
  const [kind = 'other', another] = kinds;
  const what = another || kind === 'other' ? say`what it followed` : say`the ${kind}`;
  return say`Subscription ended: ${what} was deleted`;
}

/** Adds the menu: beside the sentence if all is about one item, else in a row below, with **Show all** if it is about several. */
function withMenu(blocks: KnownBlock[], { changes, mode }: Activity, look: ActivityLook): KnownBlock[] {
  const menu = activityMenu(changes, look.offers);
  const isOfOne = areOfOne(changes);
  if (isOfOne && mode === 'live') {
    const [first, ...others] = blocks;
    return menu && first?.type === 'section' ? [{ ...first, accessory: menu }, ...others] : blocks;
  }
  const label = `Show all ${grouped(changes.length)}`;
  const showAll = requestButton(label, { act: 'show-all', page: 0 }, { spokenAfter: say` changes` });
  return [...blocks, ...buttonRow([changes.length > 0 && !isOfOne && showAll, menu])];
}
