import type { KnownBlock } from '@slack/types';
import type { Change } from '../../core/model/change.ts';
import type { Outage } from '../../core/model/outage.ts';
import { actionIds } from '../text/action-ids.ts';
import { blocksBudget, charactersOf, howManyFit, limits } from '../text/limits.ts';
import { actions, button, context, type Message, section } from '../text/message.ts';
import { counted, inMrkdwn, inText, joined, type Phrase } from '../text/phrase.ts';
import { inDigestOrder } from './digest-order.ts';
import { changesIn, type Group, groupChanges } from './grouping.ts';
import { activityMenu, type MenuAct, menuActs } from './menu.ts';
import { namesOf } from './names-of-group.ts';
import { commonWithin, dotted, happened, sentenceOf, withinOf } from './sentences.ts';
import { type SummaryReason, titleOf } from './summary-title.ts';
import { tableOf } from './table.ts';

/** `live`: as it happens. `summary`: what had waited, under a title that says so. */
export type ActivityMode = 'live' | 'summary';

/** How messages look in a channel. */
export type ActivityLook = {
  /** Whether each sentence begins with the sign of its verb; an admin can turn that off. */
  readonly signs: boolean;
  /** Whether the project or session is named: where the channel has more than one subscription. */
  readonly places: boolean;
  /** Whether Slack takes data tables here. */
  readonly tables: boolean;
  /** What the menu offers, as far as it fits the changes. */
  readonly offers: readonly MenuAct[];
};

export type Activity = {
  /** At least one in `live`, in the order they came. */
  readonly changes: readonly Change[];
  readonly now: Date;
  readonly mode: ActivityMode;
  readonly look?: ActivityLook | undefined;
  /** How many were skipped because they had waited more than a week. */
  readonly skipped?: number | undefined;
  /** A followed resource itself was deleted, and its subscription ends with this. */
  readonly endedSubscription?: boolean | undefined;
  /** Why there is a summary, and from when on it counts. */
  readonly because?: SummaryReason | undefined;
  readonly since?: Date | null | undefined;
  /** When no process of the bot was running, where that is why. */
  readonly outage?: Outage | null | undefined;
  /** What is announced together with a summary ("Dana unmuted this channel"), in one message with it. */
  readonly lead?: Message | undefined;
  /** Sent back by **Show all**, which is offered where something is not shown; without it there is no such button. */
  readonly showAllValue?: string | undefined;
};

/** The usual look of a channel with one subscription. */
export const plainLook: ActivityLook = { signs: true, places: false, tables: true, offers: menuActs };

/** Groups a message shows before it points to the full list; more would be a wall. */
const groupsShown: Record<ActivityMode, number> = { live: 8, summary: 16 };

/** A digest with as many changes of lesser weight is a table. */
const tableFrom = 10;

/**
 * What happened, as one message. One change is one sentence; several are grouped by who did what to which kind of thing and where:
 * live in the order of first happening, in a summary what must be noticed first and then by folder.
 *
 * @throws RangeError in `live` without a change, and where `showAllValue` is longer than Slack takes
 */
export function renderActivity(activity: Activity): Message {
  const { changes, mode } = activity;
  if (mode === 'live' && changes.length === 0) throw new RangeError('A live message needs a change');
  const look = activity.look ?? plainLook;
  const groups = groupChanges(changes);
  const { inLines, inTable } = layOut(groups, activity, look);
  const common = commonTo(activity, { look, groups });
  const head = mode === 'summary' ? [titleOf(activity)] : [];
  const tail = tailOf(activity, common);
  const room = roomFor(activity, { head, tail });
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
  const note: Phrase[] = more === 0 ? [] : [[`… and ${counted(more, 'more change')}`]];
  // What the table shows is counted for those who do not see it.
  const counts: Phrase[] = table === null ? [] : [tableInWords(inTable, areOthers)];
  const isWhole = more === 0 && (table?.isWhole ?? true) && entries.every((entry) => entry.isWhole);
  return {
    text: [
      ...(activity.lead ? [activity.lead.text] : []),
      ...head.map((line) => inText([...line, '.'])),
      ...entries.map(({ text }) => text),
      ...[...counts, ...note, ...tail].map((line) => inText([...line, '.'])),
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
}

/**
 * Which groups are lines, and which a table: in a long digest, what need not be noticed first. What was held back for another reason is
 * mostly much of one kind, which one line says better.
 */
function layOut(
  groups: readonly Group[],
  { mode, because }: Activity,
  look: ActivityLook,
): { readonly inLines: readonly Group[]; readonly inTable: readonly Group[] } {
  if (mode === 'live') return { inLines: groups, inTable: [] };
  const { notable, rest } = inDigestOrder(groups);
  return look.tables && because === 'digest' && changesIn(rest) >= tableFrom
    ? { inLines: notable, inTable: rest }
    : { inLines: [...notable, ...rest], inTable: [] };
}

function tableInWords(groups: readonly Group[], areOthers: boolean): Phrase {
  const people = new Set(groups.map(({ first }) => first.actorEmail ?? first.actorName));
  const changes = counted(changesIn(groups), areOthers ? 'other change' : 'change');
  return [`${changes} by ${counted(people.size, 'person', 'people')}`];
}

/** Room for "… and 1,000 more changes", the button and the menu. */
const noteAndButtons = 600;
/** However long its parts are, one entry leaves room for what is around it. */
const entryText = 2_800;

type Room = { readonly blocks: number; readonly text: number };

function roomFor(
  { lead }: Activity,
  { head, tail }: { readonly head: readonly Phrase[]; readonly tail: readonly Phrase[] },
): Room {
  const used = (render: (line: Phrase) => string) =>
    [...head, ...tail].reduce((sum, line) => sum + render(line).length + 2, noteAndButtons);
  return {
    blocks: blocksBudget - used(inMrkdwn) - charactersOf(lead?.blocks ?? []),
    text: limits.text - used(inText) - (lead?.text.length ?? 0),
  };
}

/** As many entries as fit into the blocks and into the text, and one at least where there is any. */
function whatFits(entries: readonly Entry[], room: Room): readonly Entry[] {
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
  /** Whether all that happened is in it, by name. */
  readonly isWhole: boolean;
};

/** What is said once for all groups of a message, instead of below each. */
type Common = { readonly within: Phrase | null; readonly when: Phrase | null; readonly isSaid: boolean };

/** A summary's title says of what project and since when; a live message says below what all of it shares. */
function commonTo(
  { changes, now, mode }: Activity,
  { look, groups }: { readonly look: ActivityLook; readonly groups: readonly Group[] },
): Common {
  const shared = commonWithin(changes);
  const [first] = changes;
  const within = shared === null || !first || groups.length < 2 ? null : withinOf({ ...first, kind: 'item' });
  if (mode === 'summary') return { within, when: null, isSaid: false };
  const when = groups.length > 1 ? happened(changes, now) : null;
  return { within: look.places ? within : null, when, isSaid: true };
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
  const line: Phrase = names.words === null ? sentence : [...sentence, ': ', ...names.words];
  const within = look.places && common.within === null ? withinOf(group.first) : null;
  const when = mode === 'live' && common.when === null ? happened(group.changes, now) : null;
  const small = dotted([within, when]);
  const spoken = [line, within === null ? null : ['in ', ...within], when].filter((part) => part !== null);
  return {
    group,
    blocks: [section([line]), ...(small === null ? [] : [context(small)])],
    text: inText([...joined(spoken, ', '), '.'], entryText),
    isWhole: names.isWhole,
  };
}

/** Small closing lines. */
function tailOf({ endedSubscription = false, changes, mode }: Activity, { within, when }: Common): Phrase[] {
  const all = mode === 'live' ? dotted([within, when]) : null;
  return [...(all === null ? [] : [all]), ...(endedSubscription ? [ending(changes)] : [])];
}

function ending(changes: readonly Change[]): Phrase {
  const kinds = new Set(changes.filter(({ verb }) => verb === 'deleted').map(({ kind }) => kind));
  const [kind] = kinds;
  const what =
    kinds.size !== 1 || kind === undefined || kind === 'other' ? 'what it followed' : `the ${kind}`;
  return [`Subscription ended: ${what} was deleted`];
}

/** One change has its menu beside it; of several, the menu stands in a row below, with **Show all** where not all is shown already. */
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
  if (changes.length === 1 && mode === 'live') {
    const [first, ...others] = blocks;
    return menu && first?.type === 'section' ? [{ ...first, accessory: menu }, ...others] : blocks;
  }
  const label = `Show all ${changes.length.toLocaleString('en')}`;
  const buttons =
    showAllValue === undefined || isWhole
      ? []
      : [button({ actionId: actionIds.showAll, label, value: showAllValue, spokenAfter: [' changes'] })];
  const row = [...buttons, ...(menu ? [menu] : [])];
  return row.length === 0 ? blocks : [...blocks, actions(row)];
}
