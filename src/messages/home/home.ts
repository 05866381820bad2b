import type { Button, HomeView, KnownBlock } from '@slack/types';
import { type ListedSubscription, rowContext, rowsOfPage, withDividers } from '../subscribing/lists.ts';
import { rowButtons } from '../subscribing/row-buttons.ts';
import { actionIds, callbackIds } from '../text/action-ids.ts';
import { type Copy, describeTarget } from '../text/copy.ts';
import { limits } from '../text/limits.ts';
import { actions, button, context, mrkdwn, plainText, section } from '../text/message.ts';
import {
  capital,
  channel,
  counted,
  inMrkdwn,
  type Phrase,
  plainly,
  strong,
  time,
  typed,
} from '../text/phrase.ts';

/** How somebody's account stands. */
export type HomeAccount =
  | { readonly kind: 'none' }
  | { readonly kind: 'active' | 'again'; readonly account: string | null; readonly linkedAt: Date };

/** A subscription of the person's; `channelId` is null where it is not known that they are in its channel. */
export type HomeRow = ListedSubscription & { readonly channelId: string | null };

/** Rows are shorter than in a list of one channel: a Home tab has other things too. */
const rowCharacters = { head: 300, details: 600 };

/**
 * The Home tab of a full member: the account, and all that is theirs in whichever channel. `page` counts from 0; one that is not there
 * shows the nearest. `channelsKnown`: whether Slack told in which channels they are.
 */
export function homeView(home: {
  readonly account: HomeAccount;
  readonly rows: readonly HomeRow[];
  readonly page: number;
  readonly channelsKnown: boolean;
  readonly copy: Copy;
}): HomeView {
  const { account, rows, copy } = home;
  const { page, pages, from, to } = rowsOfPage(rows.length, home.page);
  return viewOf(page, [
    header('Your account'),
    ...accountBlocks(account, copy),
    ...(account.kind === 'none' || rows.length === 0 ? stepBlocks(account, copy) : []),
    { type: 'divider' },
    header('What you follow'),
    section(
      [[introduction(rows.length, page, pages)]],
      button({ actionId: actionIds.homeFollow, label: 'Follow a plan', style: 'primary' }),
    ),
    ...(home.channelsKnown || rows.length === 0 ? [] : [context([channelsUnknown])]),
    ...withDividers(rows.slice(from, to).map((row) => rowBlocks(row, page))),
    ...(pages === 1 ? [] : [actions(pageButtons(page, pages))]),
    { type: 'divider' },
    ...supportBlocks(copy),
  ]);
}

/** The Home tab of somebody who may not do anything. */
export function homeRefusal({ why }: { readonly why: string }): HomeView {
  return viewOf(0, [section([[why]])]);
}

/** Reads the page that a Home tab shows; the first where it is none of ours. */
export function readHomePage(metadata: string): number {
  return /^\d{1,6}$/.test(metadata) ? Number(metadata) : 0;
}

function viewOf(page: number, blocks: KnownBlock[]): HomeView {
  return { type: 'home', callback_id: callbackIds.home, private_metadata: String(page), blocks };
}

function header(text: string): KnownBlock {
  return { type: 'header', text: plainText(text, limits.headerText) };
}

function accountBlocks(account: HomeAccount, { serviceName }: Copy): KnownBlock[] {
  const service = plainly(serviceName);
  if (account.kind === 'none') {
    return [
      section([['You are not linked to ', service, ' yet.']]),
      actions([
        button({
          actionId: actionIds.homeLink,
          label: 'Link',
          style: 'primary',
          spoken: ['Link your account'],
        }),
      ]),
    ];
  }
  const named: Phrase =
    account.account === null || account.account.trim() === ''
      ? [' (it did not tell the account’s name)']
      : [' as ', strong(account.account)];
  const lines: Phrase[] = [
    ['You are linked to ', service, ...named, ', since ', time(account.linkedAt), '.'],
    ...(account.kind === 'again'
      ? [
          [
            'The link does not work any more. Until you link again I cannot make, change or check subscriptions.',
          ],
        ]
      : []),
  ];
  const link = button({
    actionId: actionIds.homeLink,
    label: account.kind === 'again' ? 'Link again' : 'Link another account',
    ...(account.kind === 'again' ? { style: 'primary' } : {}),
  });
  const unlink = button({
    actionId: actionIds.homeUnlink,
    label: 'Unlink',
    spoken: ['Unlink your account; what stops with it is listed first'],
  });
  return [section(lines), actions([link, unlink])];
}

function stepBlocks(account: HomeAccount, { serviceName, commands }: Copy): KnownBlock[] {
  const service = plainly(serviceName);
  const linkFirst: Phrase =
    account.kind === 'none'
      ? ['1. Press ', strong('Link'), ' and sign in at ', service, ', once.']
      : ['1. Link your account at ', service, ': done.'];
  return [
    section([
      [
        'I tell channels what happens to their plans at ',
        service,
        ': what is added, changed and deleted, and by whom.',
      ],
      linkFirst,
      [
        '2. In the channel that is to have the news, type ',
        typed(commands.subscribe),
        ', or press ',
        strong('Follow a plan'),
        ' here.',
      ],
      ['3. Say what to follow: a link to a project or session is enough. I post there from then on.'],
    ]),
  ];
}

function introduction(count: number, page: number, pages: number): string {
  if (count === 0)
    return 'Nothing yet. What you have channels follow is listed here, with what can be done about it.';
  const pageWords = pages === 1 ? '' : ` (page ${page + 1} of ${pages})`;
  return `${counted(count, 'subscription')} ${count === 1 ? 'uses' : 'use'} your account${pageWords}:`;
}

const channelsUnknown =
  'Slack did not tell me in which channels you are, so I show no channels now. Open this tab again in a minute.';

function rowBlocks(row: HomeRow, page: number): KnownBlock[] {
  const where: Phrase =
    row.channelId === null
      ? [', in a channel that I cannot show you here']
      : [', in ', channel(row.channelId)];
  const head = [...capital(describeTarget(row.subscribed)), ...where];
  return [
    { type: 'section', text: mrkdwn(inMrkdwn(head, rowCharacters.head)) },
    rowContext(row, rowCharacters.details),
    ...(row.channelId === null ? [] : [rowButtons(row, `home:${page}`)]),
  ];
}

function pageButtons(page: number, pages: number): Button[] {
  const to = (actionId: string, label: string, there: number) =>
    button({ actionId, label, value: String(there), spoken: [`${label} page of your subscriptions`] });
  return [
    ...(page > 0 ? [to(actionIds.homePrevious, 'Previous', page - 1)] : []),
    ...(page < pages - 1 ? [to(actionIds.homeNext, 'Next', page + 1)] : []),
  ];
}

function supportBlocks({ commands }: Copy): KnownBlock[] {
  return [
    section([
      [strong('Help')],
      [
        typed(`${commands.plancast} help`),
        ' says what can be typed, and ',
        typed(`${commands.plancast} doctor`),
        ' checks what does not work. If that is not enough, ask whoever looks after this bot in your workspace.',
      ],
    ]),
  ];
}
