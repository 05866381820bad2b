import type { Button, KnownBlock } from '@slack/types';
import type { AnyRequest } from '../../core/model/any-request.ts';
import type { QuietHours } from '../../core/model/quiet-hours.ts';
import { describeQuiet, type Who, whoIs } from '../text/copy.ts';
import { fitInto } from '../text/limits.ts';
import {
  buttonRow,
  context,
  type Message,
  messageOf,
  nearestPage,
  pageButtons,
  pageOf,
  requestButton,
  section,
} from '../text/message.ts';
import { channel, counted, inText, joined, type Phrase, say, strong, time } from '../text/phrase.ts';
import { describeExcluded, type ExcludedThing, excludedRow } from './exclusions.ts';
import { type ListedSubscription, listRows, type RowControls, type RowRoom, rowText } from './list-rows.ts';
import { removeButton, rowButtons } from './row-buttons.ts';

/** The command that the list answers, which decides its wording. */
export type ListPurpose = 'subscriptions' | 'unsubscribe';

/** The list and page that a button leads to. */
type ListPage = { readonly purpose: ListPurpose; readonly page: number };

/** Rows per page: as many as fit into a message if each has its maximum length. */
export const rowsPerPage = 10;
const room: RowRoom = { head: 230, details: 300 };
const textCharacters = 2_400;

/** Returns which rows of `count` a page shows, from `from` up to but excluding `to`. Out of range, takes the nearest page. */
export function rowsOfPage(
  count: number,
  page: number,
): { page: number; pages: number; from: number; to: number } {
  const pages = Math.max(1, Math.ceil(count / rowsPerPage));
  const nearest = nearestPage(page, pages);
  return {
    page: nearest,
    pages,
    from: nearest * rowsPerPage,
    to: Math.min((nearest + 1) * rowsPerPage, count),
  };
}

/**
 * Lists a channel's subscriptions, each with a Remove button for `/unsubscribe`, else with all its buttons. `page` counts from 0; out of
 * range, the nearest page is shown. `muted` starts on the last page of rows and continues on pages of its own.
 */
export function subscriptionList(list: {
  readonly purpose: ListPurpose;
  readonly rows: readonly ListedSubscription[];
  readonly page: number;
  readonly silence?: ChannelSilence | null | undefined;
  readonly muted?: readonly Muted[] | undefined;
  /** Whether this is the reader's own direct message with the bot. */
  readonly personal?: boolean | undefined;
}): Message {
  const { purpose, rows, personal = false, silence = null } = list;
  const muted = purpose === 'subscriptions' ? (list.muted ?? []) : [];
  const rowPages = rowsOfPage(rows.length, 0).pages;
  const pages = rowPages + Math.ceil(Math.max(0, muted.length - mutedBelowRows) / mutedPerPage);
  const page = nearestPage(list.page, pages);
  const shown = rows.slice(page * rowsPerPage, (page + 1) * rowsPerPage);
  const silenceLines = silence === null ? [] : linesOf(silence, personal);
  const empty = emptyList(personal);
  const title = titleOf({ purpose, personal, count: rows.length, page, pages });
  const head = rows.length > 0 ? [title, ...silenceLines] : silenceLines;
  const change = silence === null ? undefined : silenceButton(silence, personal);
  return {
    text: fitInto(
      [
        ...(rows.length > 0 ? [] : [empty.text]),
        ...head.map((line) => inText(line)),
        ...shown.map((row) => rowText(row, room)),
      ],
      { max: textCharacters, joint: '\n', noun: 'subscriptions' },
    ),
    blocks: [
      ...(rows.length > 0 ? [] : empty.blocks),
      ...(head.length > 0 ? [section(head, change)] : []),
      ...listRows(shown, room, (row) => controlsOf(row, { purpose, page })),
      ...mutedOfPage(muted, { purpose, page, rowPages, personal }),
      ...buttonRow(
        pageButtons((there) => ({ act: 'list-page', purpose, page: there }), {
          page,
          pages,
          of: 'subscriptions',
        }),
      ),
    ],
  };
}

/** Lists what is muted or hidden on a page: the first ones below the last rows, the others on pages of their own. */
function mutedOfPage(
  muted: readonly Muted[],
  { rowPages, personal, ...shown }: ListPage & { readonly rowPages: number; readonly personal: boolean },
): KnownBlock[] {
  const after = shown.page - (rowPages - 1);
  if (after < 0) return [];
  const from = after === 0 ? 0 : mutedBelowRows + (after - 1) * mutedPerPage;
  return mutedSection(muted, {
    title: personal ? 'Not shown here' : 'Not shown in this channel',
    listPage: writeListPage(shown),
    from,
    to: after === 0 ? mutedBelowRows : from + mutedPerPage,
    rest: say`on the next page`,
  });
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
  return mute === null ? quietButton(quiet) : unmuteButton(mute, personal);
}

/** A person may read the list of their own subscriptions anywhere. */
function unmuteButton({ channelId }: ChannelMute, personal: boolean): Button {
  const request = { act: 'unmute' } as const;
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

/** How many fit below rows: a message has 50 blocks, and ten rows take 41 of them. */
const mutedBelowRows = 5;
/** How many fit on a page without rows if each has its maximum length. */
const mutedPerPage = 10;

/**
 * Lists what is muted or hidden, each with a button that shows it again; empty if nothing is. `listPage` starts the `block_id`, as for the buttons of a
 * row. `from` and `to`: which ones to show; `rest`: where to find the ones after `to`.
 */
export function mutedSection(
  muted: readonly Muted[],
  shown: {
    readonly title: string;
    readonly listPage: string;
    readonly from?: number;
    readonly to?: number;
    readonly rest: Phrase;
  },
): KnownBlock[] {
  const { title, listPage, from = 0, to = mutedBelowRows, rest } = shown;
  if (muted.length === 0) return [];
  const more = muted.length - to;
  return [
    { type: 'divider' },
    section([[strong(title)]]),
    ...muted.slice(from, to).map((each) => ({
      ...section([mutedWords(each)], showAgain(each)),
      block_id: `${listPage}/${each.value}`,
    })),
    ...(more > 0 ? [context(say`… and ${more} more ${rest}`)] : []),
  ];
}

function mutedWords({ what, by, channelId }: Muted): Phrase {
  return joined(
    [
      excludedRow(what),
      ...(channelId === undefined ? [] : [[channel(channelId)]]),
      ...(by === undefined ? [] : [say`${what.kind === 'person' ? 'hidden' : 'muted'} by ${whoIs(by)}`]),
    ],
    ' · ',
  );
}

function showAgain({ value, what }: Muted): Button {
  const spokenAfter: Phrase = say`: ${describeExcluded(what)}`;
  return requestButton('Show again', { act: 'show-again', id: value }, { spokenAfter });
}

/** Reads the start of the `block_id` of a row's buttons; null if it is not that of a list. */
export function readListPage(value: string): ListPage | null {
  const [, purpose, page] = /^(subscriptions|unsubscribe):(\d{1,6})$/.exec(value) ?? [];
  if (purpose !== 'subscriptions' && purpose !== 'unsubscribe') return null;
  return { purpose, page: Number(page) };
}

/** Returns the start of the `block_id` of a row's buttons. */
function writeListPage({ purpose, page }: ListPage): string {
  return `${purpose}:${page}`;
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

function titleOf(list: {
  purpose: ListPurpose;
  personal: boolean;
  count: number;
  page: number;
  pages: number;
}): Phrase {
  const has = list.personal ? 'You have' : 'This channel has';
  const question = list.count === 1 ? '. Do you want to remove it?' : '. Which one do you want to remove?';
  const end = list.purpose === 'unsubscribe' ? question : '';
  return say`${has} ${counted(list.count, 'subscription')}${pageOf(list.page, list.pages)}${end}`;
}

function controlsOf(row: ListedSubscription, at: ListPage): RowControls {
  const listPage = writeListPage(at);
  if (at.purpose === 'subscriptions') return { below: rowButtons(row, listPage) };
  return { beside: { block_id: `${listPage}/${row.id}`, accessory: removeButton(row) } };
}
