import type { Button, KnownBlock } from '@slack/types';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import type { SubscriptionState } from '../../core/model/subscription.ts';
import { actionIds } from '../text/action-ids.ts';
import {
  type Copy,
  describeDelivery,
  describeFilters,
  describePause,
  describeState,
  describeTarget,
  type Pause,
  type Settings,
  type Who,
  whoIs,
} from '../text/copy.ts';
import { fitInto } from '../text/limits.ts';
import { actions, button, type Message, messageOf, mrkdwn } from '../text/message.ts';
import {
  capital,
  counted,
  inMrkdwn,
  inText,
  joined,
  type Phrase,
  quoted,
  strong,
  time,
  typed,
} from '../text/phrase.ts';
import { removeButton, rowButtons } from './row-buttons.ts';

/** One subscription as a list shows it. */
export type ListedSubscription = {
  /** Sent back by its buttons. */
  readonly id: string;
  readonly subscribed: Subscribed;
  /** Who made it, or took it over. */
  readonly owner: Who;
  readonly settings: Settings;
  readonly state: SubscriptionState;
  /** While it is paused. */
  readonly pause?: Pause | undefined;
  /** The service's own word for its state, where that is not the usual one. */
  readonly serviceStatus?: string | undefined;
  readonly lastEventAt: Date | null;
};

/** Which command the list answers: it decides the words around it. */
export type ListPurpose = 'subscriptions' | 'unsubscribe';

/** Which page of which list a button leads to. */
export type ListPage = { readonly purpose: ListPurpose; readonly page: number };

/** Rows a page holds: so many that a page of the longest ones still fits into a message. */
export const rowsPerPage = 10;
const rowCharacters = { head: 260, details: 340 };
const textCharacters = 2_400;

/** Which rows of so many a page shows: from the first up to, and without, the second. A page that is not there is the nearest. */
export function rowsOfPage(
  count: number,
  page: number,
): { page: number; pages: number; from: number; to: number } {
  const pages = Math.max(1, Math.ceil(count / rowsPerPage));
  const nearest = Math.min(Math.max(0, Math.trunc(page) || 0), pages - 1);
  return {
    page: nearest,
    pages,
    from: nearest * rowsPerPage,
    to: Math.min((nearest + 1) * rowsPerPage, count),
  };
}

/**
 * What the channel follows, with a Remove button each where it was asked for to remove something, else with all that can be done.
 * `page` counts from 0; one that is not there shows the nearest.
 */
export function subscriptionList(list: {
  readonly purpose: ListPurpose;
  readonly rows: readonly ListedSubscription[];
  readonly page: number;
  readonly copy: Copy;
}): Message {
  const { purpose, rows, copy } = list;
  if (rows.length === 0) return emptyList(purpose, copy);
  const { page, pages, from, to } = rowsOfPage(rows.length, list.page);
  const shown = rows.slice(from, to);
  const title = titleOf({ purpose, count: rows.length, page, pages });
  return {
    text: fitInto([inText(title), ...shown.map(rowText)], {
      max: textCharacters,
      joint: '\n',
      noun: 'subscriptions',
    }),
    blocks: [
      { type: 'section', text: mrkdwn(inMrkdwn(title)) },
      ...withDividers(shown.map((row) => rowBlocks(row, { purpose, page }))),
      ...(pages === 1 ? [] : [actions(pageButtons({ purpose, page }, pages))]),
    ],
  };
}

/** Reads the value of a page button; null where it is none. */
export function readListPage(value: string): ListPage | null {
  const [, purpose, page] = /^(subscriptions|unsubscribe):(\d{1,6})$/.exec(value) ?? [];
  if (purpose !== 'subscriptions' && purpose !== 'unsubscribe') return null;
  return { purpose, page: Number(page) };
}

/** The value of a page button, and the beginning of the `block_id` of a row's buttons. */
function writeListPage({ purpose, page }: ListPage): string {
  return `${purpose}:${page}`;
}

function emptyList(purpose: ListPurpose, { commands }: Copy): Message {
  return messageOf({
    lines: [
      [
        `This channel follows nothing yet${purpose === 'unsubscribe' ? ', so there is nothing to remove' : ''}.`,
      ],
      [
        'To follow something: ',
        typed(commands.subscribe),
        ' opens a form; ',
        typed(`${commands.subscribe} project 123-456-789`),
        ' does it at once.',
      ],
    ],
  });
}

function titleOf(list: { purpose: ListPurpose; count: number; page: number; pages: number }): Phrase {
  const pages = list.pages === 1 ? '' : ` (page ${list.page + 1} of ${list.pages})`;
  const end = list.purpose === 'unsubscribe' ? '. Which one shall go?' : ':';
  return [`This channel follows ${counted(list.count, 'thing')}${pages}${end}`];
}

function rowBlocks(row: ListedSubscription, at: ListPage): KnownBlock[] {
  const head = mrkdwn(inMrkdwn(capital(describeTarget(row.subscribed)), rowCharacters.head));
  const context = rowContext(row, rowCharacters.details);
  return at.purpose === 'unsubscribe'
    ? [
        {
          type: 'section',
          block_id: `${writeListPage(at)}/${row.id}`,
          text: head,
          accessory: removeButton(row),
        },
        context,
      ]
    : [{ type: 'section', text: head }, context, rowButtons(row, writeListPage(at))];
}

function rowText(row: ListedSubscription): string {
  return inText(
    [
      ...capital(describeTarget(row.subscribed)),
      ': ',
      ...joined([describeState(row.state, row.pause), ...detailsOf(row)], ', '),
      '.',
    ],
    rowCharacters.head + rowCharacters.details,
  );
}

/** The line below what is followed. Health comes first and filters last: where not all fits into `max` characters, the end goes. */
export function rowContext(row: ListedSubscription, max: number): KnownBlock {
  const health: Phrase = [
    strong(healthWords[row.state]),
    ...(row.pause === undefined ? [] : [': ', ...describePause(row.pause)]),
  ];
  const details = inMrkdwn(joined([health, ...detailsOf(row)], ' · '), max);
  return { type: 'context', elements: [mrkdwn(details)] };
}

const healthWords: Readonly<Record<SubscriptionState, string>> = {
  pending: 'Being set up',
  active: 'Working',
  paused: 'Paused',
  ended: 'Ended',
};

/** A line between one row and the next. */
export function withDividers(rows: readonly (readonly KnownBlock[])[]): KnownBlock[] {
  return rows.flatMap((blocks, index) => (index === 0 ? blocks : [{ type: 'divider' }, ...blocks]));
}

function detailsOf(row: ListedSubscription): readonly Phrase[] {
  const { serviceStatus, owner, lastEventAt, settings } = row;
  return [
    ...(serviceStatus === undefined ? [] : [['the service calls it ', quoted(serviceStatus)]]),
    ['by ', ...whoIs(owner)],
    lastEventAt === null ? ['no news yet'] : ['last news ', time(lastEventAt)],
    [
      'posted ',
      ...describeDelivery(settings.delivery),
      settings.threads ? ', with threads: ' : ': ',
      ...describeFilters(settings.filters, settings.names),
    ],
  ];
}

function pageButtons({ purpose, page }: ListPage, pages: number): Button[] {
  const to = (actionId: string, label: string, there: number) =>
    button({
      actionId,
      label,
      value: writeListPage({ purpose, page: there }),
      spoken: [`${label} page of subscriptions`],
    });
  return [
    ...(page > 0 ? [to(actionIds.listPrevious, 'Previous', page - 1)] : []),
    ...(page < pages - 1 ? [to(actionIds.listNext, 'Next', page + 1)] : []),
  ];
}
