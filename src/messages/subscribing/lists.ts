import type { ActionsBlock, Button, KnownBlock } from '@slack/types';
import type { AnyRequest } from '../../core/model/any-request.ts';
import type { RemoteTrouble, Trouble } from '../../core/model/pause-reason.ts';
import type { QuietHours } from '../../core/model/quiet-hours.ts';
import type { Subscribed, SubscriptionState, Target } from '../../core/model/subscription.ts';
import {
  describePause,
  describePosting,
  describeQuiet,
  describeScope,
  nameTarget,
  type Pause,
  type SubscriptionSettings,
  type Who,
  whoIs,
} from '../text/copy.ts';
import { fitInto } from '../text/limits.ts';
import {
  actions,
  buttonRow,
  type Message,
  messageOf,
  mrkdwn,
  nearestPage,
  pageButtons,
  pageOf,
  present,
  requestButton,
  section,
} from '../text/message.ts';
import {
  capital,
  channel,
  counted,
  inMrkdwn,
  inText,
  joined,
  type Phrase,
  quoted,
  say,
  strong,
  time,
} from '../text/phrase.ts';
import { describeExcluded, type ExcludedThing } from './exclusions.ts';
import { removeButton, rowButtons } from './row-buttons.ts';

/** The command that the list answers, which decides its wording. */
export type ListPurpose = 'subscriptions' | 'unsubscribe';

/** Rows per page: as many as fit into a message if each has its maximum length. */
export const rowsPerPage = 10;
const textCharacters = 2_400;

type ShownRows = Readonly<Record<'page' | 'pages' | 'from' | 'to', number>>;

/** Returns which rows of `count` a page shows, from `from` up to but excluding `to`. Out of range, takes the nearest page. */
export function rowsOfPage(count: number, wanted: number, aPage = rowsPerPage): ShownRows {
  const pages = Math.max(1, Math.ceil(count / aPage));
  const page = nearestPage(wanted, pages);
  return { page, pages, from: page * aPage, to: Math.min((page + 1) * aPage, count) };
}

/** Lists a channel's subscriptions, for `/unsubscribe` with Remove buttons only, and what is muted or hidden. Out of range, shows the nearest page. */
export function subscriptionList(list: {
  readonly purpose: ListPurpose;
  readonly rows: readonly ListedSubscription[];
  readonly page: number;
  readonly silence?: ChannelSilence | null | undefined;
  readonly muted?: readonly Muted[] | undefined;
  /** Whether this is the reader's own direct message with the bot. */
  readonly personal?: boolean | undefined;
}): Message {
  const { purpose, rows, muted = [], personal = false, silence = null } = list;
  const { page, pages, from, to } = rowsOfPage(rows.length + muted.length, list.page);
  const shown = rows.slice(from, to);
  const mutedShown = muted.slice(Math.max(0, from - rows.length), Math.max(0, to - rows.length));
  const silenceLines = silence === null ? [] : linesOf(silence, personal);
  const empty = emptyList(personal);
  const title = titleOf(list, page, pages);
  const head = rows.length > 0 ? [title, ...silenceLines] : silenceLines;
  const change = silence === null ? undefined : silenceButton(silence, personal);
  const listPage = `${purpose}:${page}`;
  const paging = { page, pages, of: 'subscriptions' };
  return {
    text: fitInto(
      [
        ...(rows.length > 0 ? [] : [empty.text]),
        ...head.map((line) => inText(line)),
        ...shown.map((row) => rowText(row)),
      ],
      { max: textCharacters, joint: '\n', noun: paging.of },
    ),
    blocks: [
      ...(rows.length > 0 ? [] : empty.blocks),
      ...(head.length > 0 ? [section(head, change)] : []),
      ...listRows(shown, (row) => controlsOf(row, purpose, listPage)),
      ...mutedSection(mutedShown, personal ? 'Not shown here' : 'Not shown in this channel', listPage),
      ...buttonRow(pageButtons((there) => ({ act: 'list-page', purpose, page: there }), paging)),
    ],
  };
}

/** "This channel has 12 subscriptions (page 1 of 2). Which one do you want to remove?" */
function titleOf(
  { rows: { length }, purpose, personal }: Parameters<typeof subscriptionList>[0],
  page: number,
  pages: number,
): Phrase {
  const which = length === 1 ? 'Do you want to remove it?' : 'Which one do you want to remove?';
  const question = purpose === 'unsubscribe' ? say`. ${which}` : [];
  const has = personal ? 'You have' : 'This channel has';
  return say`${has} ${counted(length, 'subscription')}${pageOf(page, pages)}${question}`;
}

function controlsOf(row: ListedSubscription, purpose: ListPurpose, listPage: string): ActionsBlock {
  if (purpose === 'subscriptions') return rowButtons(row, listPage);
  return { ...actions([removeButton(row)]), block_id: `${listPage}/${row.id}` };
}

/** What keeps a whole channel silent. */
export type ChannelSilence = { readonly mute: ChannelMute | null; readonly quiet: QuietHours | null };

/** Until when a channel is muted, and by whom; null if that is not known. */
type ChannelMute = { readonly channelId: string; readonly until: Date; readonly by: Who | null };

/** Returns the line that names the quiet hours of a conversation, if it has any. */
export function quietLine(quiet: QuietHours | null): Phrase[] {
  return quiet === null ? [] : [say`🌙 Quiet hours: ${describeQuiet(quiet)}`];
}

/** Makes the button that opens the form for quiet hours. `request`: where it is pressed in another place. */
export function quietButton(
  quiet: QuietHours | null,
  request: AnyRequest = { act: 'quiet' },
  spokenAfter?: Phrase,
): Button {
  return requestButton(quiet === null ? 'Quiet hours' : 'Change quiet hours', request, { spokenAfter });
}

function linesOf({ mute, quiet }: ChannelSilence, personal: boolean): Phrase[] {
  if (mute === null) return quietLine(quiet);
  const who: Phrase = personal || mute.by === null ? [] : say` by ${whoIs(mute.by)}`;
  return [say`🔕 Muted${who} until ${time(mute.until)}`, ...quietLine(quiet)];
}

function silenceButton({ mute, quiet }: ChannelSilence, personal: boolean): Button {
  if (mute === null) return quietButton(quiet);
  const { channelId } = mute;
  const request = { act: 'unmute' } as const;
  // A person may read the list of their own subscriptions anywhere.
  return requestButton('Unmute', personal ? { act: 'in-channel', channelId, request } : request);
}

/** Something that is muted or hidden in a channel. `value` is the value of its button. */
export type Muted = {
  readonly value: string;
  readonly what: ExcludedThing;
  /** Who muted or hid it. */
  readonly by?: Who | undefined;
  /** The channel, in a list of several channels. */
  readonly channelId?: string | undefined;
};

/** Lists what is muted or hidden, each with a button that shows it again; empty if nothing is. `listPage` starts the `block_id`. */
export function mutedSection(muted: readonly Muted[], title: string, listPage: string): KnownBlock[] {
  if (muted.length === 0) return [];
  return [
    { type: 'divider' },
    section([[strong(title)]]),
    ...muted.map((each) => ({ ...mutedBlock(each), block_id: `${listPage}/${each.value}` })),
  ];
}

function mutedBlock({ value, what, by, channelId }: Muted): KnownBlock {
  const spokenAfter = say`: ${describeExcluded(what)}`;
  const words = present<Phrase>([
    capital(describeExcluded(what, { inFolder: true })),
    channelId !== undefined && [channel(channelId)],
    by !== undefined && say`${what.kind === 'person' ? 'hidden' : 'muted'} by ${whoIs(by)}`,
  ]);
  const showAgain = requestButton('Show again', { act: 'show-again', id: value }, { spokenAfter });
  return section([joined(words, ' · ')], showAgain);
}

/** Reads the list or Home tab, and its page, from the `block_id` of a row's buttons; null if it is no row's. */
export function readListPage(
  blockId: string,
): { readonly place: ListPurpose | 'home'; readonly page: number } | null {
  const [, place, page] = /^(subscriptions|unsubscribe|home):(\d{1,6})\//.exec(blockId) ?? [];
  if (place !== 'subscriptions' && place !== 'unsubscribe' && place !== 'home') return null;
  return { place, page: Number(page) };
}

/** Says that there is nothing to list, with a button to add something. `personal`: of the reader's own. */
export function emptyList(personal: boolean): Message {
  return messageOf({ lines: [emptyWords(personal)], buttons: [subscribeHere(personal)] });
}

/** Returns the sentence that there is nothing to list. */
export function emptyWords(personal: boolean): Phrase {
  return [personal ? 'You have no subscriptions of your own.' : 'This channel has no subscriptions.'];
}

/** Makes the button that opens the form for the conversation. */
export function subscribeHere(personal: boolean): Button {
  return personal
    ? requestButton('Subscribe', { act: 'open-form', personal })
    : requestButton('Subscribe this channel', { act: 'open-form' });
}

/** A subscription in a list. */
export type ListedSubscription = {
  /** The value of its buttons. */
  readonly id: string;
  readonly subscribed: Subscribed;
  /** Who made it, or took it over. */
  readonly owner: Who;
  readonly settings: SubscriptionSettings;
  readonly state: SubscriptionState;
  /** Set while it is paused. */
  readonly pause?: Pause | undefined;
  /** The most important thing that is wrong with it. */
  readonly trouble?: Trouble | RemoteTrouble | undefined;
  readonly lastEventAt: Date | null;
  /** How many messages with its changes were posted a day in the last 7 days; undefined if it is younger than that. */
  readonly messagesADay?: number | undefined;
};

/** How many characters a row has in each line of its head, and in the line below: ten such rows fit into a message. */
const room = { head: 230, details: 300 };

/** Returns "*Harbour Tower* · project and contents". */
function nameInList(subscribed: Subscribed): Phrase {
  const { target, comprehensive } = subscribed;
  const name = capital(nameTarget(subscribed));
  return target.kind === 'document' ? name : say`${name} · ${describeScope(target.kind, comprehensive)}`;
}

/** Renders rows with dividers between them: name and health, then in gray who added it and what is posted, which is cut at the end. */
export function listRows<Row extends ListedSubscription>(
  rows: readonly Row[],
  controlsOf: (row: Row) => ActionsBlock | null,
): KnownBlock[] {
  return rows.flatMap((row, index): KnownBlock[] => {
    const name = [nameInList(row.subscribed), healthOf(row)].map((line) => inMrkdwn(line, room.head));
    const posted = joined([addedBy(row), capital(describePosting(row.settings))], ' · ');
    return present<KnownBlock>([
      index > 0 && { type: 'divider' },
      { type: 'section', text: mrkdwn(name.join('\n')) },
      { type: 'context', elements: [mrkdwn(inMrkdwn(posted, room.details))] },
      controlsOf(row),
    ]);
  });
}

/** Renders the whole row on one line, for notifications and screen readers. */
export function rowText(row: ListedSubscription): string {
  const parts = [nameInList(row.subscribed), healthOf(row), addedBy(row), describePosting(row.settings)];
  return inText(say`${joined(parts, ', ')}.`, room.head + room.details);
}

function healthOf(row: ListedSubscription): Phrase {
  const { lastEventAt } = row;
  const last: Phrase = lastEventAt === null ? say`no activity yet` : say`last activity ${time(lastEventAt)}`;
  return joined([stateOf(row), last, ...volumeOf(row)], ' · ');
}

function volumeOf({ messagesADay, lastEventAt }: ListedSubscription): Phrase[] {
  if (messagesADay === undefined || lastEventAt === null) return [];
  if (messagesADay === 0) return [say`no messages in the last 7 days`];
  const rounded = Math.round(messagesADay);
  const count = rounded === 0 ? say`less than 1 message` : [counted(rounded, 'message')];
  return [say`${count} a day, last 7 days`];
}

/** Returns the state. Each sign is followed by words that say the same. */
function stateOf(row: ListedSubscription): Phrase {
  const { subscribed, state, pause, trouble } = row;
  switch (state) {
    case 'pending':
      return say`🔵 Setting up`;
    case 'active':
      return trouble === undefined ? say`🟢 Working` : say`🟠 ${describeTrouble(trouble, subscribed.target)}`;
    case 'paused':
      return pause === undefined ? say`🟡 Paused` : say`🟡 ${capital(describePause(pause))}`;
    case 'ended':
      return say`⚪ Ended`;
  }
}

/** Says what keeps a subscription from posting what people expect, without a period. */
export function describeTrouble(trouble: Trouble | RemoteTrouble, { kind }: Target): Phrase {
  switch (trouble.kind) {
    case 'places': {
      const which = kind === 'folder' ? 'folder each change is in' : 'file each change is about';
      return say`Nothing can be posted: the service doesn’t say which ${which}`;
    }
    case 'odd':
      return say`The service reports ${quoted(trouble.status)}`;
    case 'not repaired':
      return say`I can’t repair it at the service yet`;
    case 'unmatched':
      return say`None of the last ${counted(trouble.count, 'change')} match its folders`;
  }
}

function addedBy({ owner }: ListedSubscription): Phrase {
  return say`Added by ${whoIs(owner)}`;
}
