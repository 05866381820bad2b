import type { Button, KnownBlock, ModalView } from '@slack/types';
import type { Change } from '../../core/model/change.ts';
import { spelling } from '../../core/model/typed-text.ts';
import { limits } from '../text/limits.ts';
import { buttonRow, nearestPage, pageButtons, pageOf, requestButton, section } from '../text/message.ts';
import { actionIds, callbackIds, input, modal, textField } from '../text/modal.ts';
import { counted, type Phrase, quoted, say, strong } from '../text/phrase.ts';
import { listBlocks, listPages } from './change-list.ts';
import { newestFirst, rowsOf } from './digest.ts';

/** As much as anyone would scroll through, and far below a view's limit of 250 kB. */
const room = { blocks: 30_000 };
/** With fewer changes, there is nothing to look for, and one order shows as much as the other. */
const leastToFind = 10;

/**
 * Lists every change of a message by name, in a form with pages: sorted by folder and name, or with the newest first. `metadata` comes back with
 * the buttons; `find`: a part of the names to list, empty for all. Out of range, the nearest page is shown.
 */
export function showAllView(list: {
  readonly changes: readonly Change[];
  readonly page: number;
  readonly metadata: string;
  readonly find?: string | undefined;
  readonly isNewestFirst?: boolean | undefined;
  /** Whether each sentence starts with the sign of its verb. */
  readonly signed?: boolean | undefined;
}): ModalView {
  const { changes, metadata, find = '', isNewestFirst = false, signed = true } = list;
  const found = changes.filter(({ name, previousName }) =>
    [name, previousName].some((one) => has(one, find)),
  );
  const rows = isNewestFirst
    ? newestFirst(found, signed)
    : rowsOf(found, { signed, byName: true, dated: true });
  const pages = listPages(rows, !isNewestFirst, room);
  const page = nearestPage(list.page, pages.length);
  const paging = { page, pages: pages.length, of: 'changes' };
  const isLong = changes.length >= leastToFind;
  return viewOf({
    metadata,
    submit: isLong ? 'Find' : undefined,
    blocks: [
      ...(isLong ? [findField(find)] : []),
      section([say`${headOf(found.length, changes.length, find)}${pageOf(page, pages.length)}`]),
      ...listBlocks(pages[page] ?? []),
      ...buttonRow([
        ...pageButtons((there) => ({ act: 'show-all', page: there }), paging),
        isLong && orderButton(isNewestFirst),
      ]),
    ],
  });
}

function has(name: string | null, find: string): boolean {
  return find.trim() === '' || (name !== null && spelling(name).includes(spelling(find)));
}

function headOf(found: number, all: number, find: string): Phrase {
  if (find.trim() === '') return [counted(all, 'change')];
  return say`${found} of ${counted(all, 'change')} with ${quoted(find)} in the name`;
}

function findField(find: string): KnownBlock {
  return input(actionIds.showAllFind, {
    label: 'Find by name',
    optional: true,
    element: textField({ text: find, most: limits.name, placeholder: 'A part of a name' }),
  });
}

function orderButton(isNewestFirst: boolean): Button {
  const label = isNewestFirst ? 'Sort by folder and name' : 'Newest first';
  return requestButton(label, { act: 'show-all', page: 0, newest: !isNewestFirst }, { variant: 'order' });
}

/** Replaces the list when the details of its message are no longer stored. */
export const showAllGone = viewOf({
  metadata: '',
  blocks: [
    section([say`The details of this message are no longer stored.`]),
    section([say`To see what changed, look in the service itself.`]),
  ],
});

/** Replaces the list when the message is so new that its details are not stored yet. */
export const showAllSoon = viewOf({
  metadata: '',
  blocks: [
    section([say`This message was posted a moment ago, and its details are still being stored.`]),
    section([say`Close this and press ${strong('Show all')} again in a few seconds.`]),
  ],
});

function viewOf(view: {
  readonly metadata: string;
  readonly submit?: string | undefined;
  readonly blocks: KnownBlock[];
}): ModalView {
  return modal({ callbackId: callbackIds.showAll, title: 'All changes', close: 'Close', ...view });
}
