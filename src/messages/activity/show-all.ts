import type { KnownBlock, ModalView } from '@slack/types';
import type { Change } from '../../core/model/change.ts';
import { actionIds, callbackIds } from '../text/action-ids.ts';
import { limits } from '../text/limits.ts';
import { mrkdwn, pageButtons, plainText, section } from '../text/message.ts';
import { counted, inMrkdwn, joined } from '../text/phrase.ts';
import { type Group, groupChanges } from './grouping.ts';
import { commonWithin, nameInList, sentenceOf, timeSpan, withinOf } from './sentences.ts';

/** Leaves room within a view's 100 blocks for the heading and the page buttons. */
const sectionsPerPage = 90;
/** As much as anybody scrolls through, and far below the 250 kB that a view may have. */
const charactersPerPage = 30_000;

/**
 * Every change of a message by name, as a form of pages. `page` counts from 0; one that is not there shows the nearest.
 *
 * @param list `metadata` comes back with the page buttons; each button's value is the page it leads to
 * @throws RangeError where `metadata` is longer than Slack takes
 */
export function showAllView(list: {
  readonly changes: readonly Change[];
  readonly page: number;
  readonly metadata: string;
  /** Whether each sentence begins with the sign of its verb. */
  readonly signed?: boolean | undefined;
}): ModalView {
  const { changes, metadata, signed = true } = list;
  if (metadata.length > limits.privateMetadata)
    throw new RangeError('The metadata of the full list is too long');
  const groups = groupChanges(changes);
  const [first] = changes;
  const common = commonWithin(changes) && first ? withinOf({ ...first, kind: 'item' }) : null;
  const pages = intoPages(
    groups.flatMap((group) => paragraphsOf(group, { withPlace: common === null, signed })),
  );
  const page = Math.max(0, Math.min(Math.trunc(list.page) || 0, pages.length - 1));
  const place = pages.length <= 1 ? '' : ` (page ${page + 1} of ${pages.length})`;
  return viewOf(metadata, [
    section([
      [counted(changes.length, 'change'), ...(common === null ? [] : [' in ', ...common]), `${place}:`],
    ]),
    ...(pages[page] ?? []).map((text): KnownBlock => ({ type: 'section', text: mrkdwn(text), expand: true })),
    ...pageButtons(showAllPages, { page, pages: pages.length, of: 'changes' }),
  ]);
}

/** In place of the list, when its details are not kept any more. */
export function showAllGone(): ModalView {
  return viewOf('', [
    section([['The details of this message are no longer stored: they’re deleted a week after posting.']]),
    section([['The service itself still shows what happened.']]),
  ]);
}

/** In place of the list, when the message is so new that its details are not stored yet. */
export function showAllSoon(): ModalView {
  return viewOf('', [
    section([['This message was posted a moment ago, and its details are still being stored.']]),
    section([['Close this window and select ', 'Show all', ' again in a few seconds.']]),
  ]);
}

function viewOf(metadata: string, blocks: KnownBlock[]): ModalView {
  return {
    type: 'modal',
    callback_id: callbackIds.showAll,
    private_metadata: metadata,
    title: plainText('All changes', limits.modalTitle),
    close: plainText('Close', limits.modalButton),
    blocks,
  };
}

/** What fits into one section. `under` is the sentence above it, where that is in an earlier section. */
type Paragraph = { readonly text: string; readonly under: string | null };

/** A group as one paragraph of lines, or as several where one would be too long for a section. */
function paragraphsOf(
  group: Group,
  { withPlace, signed }: { readonly withPlace: boolean; readonly signed: boolean },
): readonly Paragraph[] {
  const within = withPlace ? withinOf(group.first) : null;
  const parts = [sentenceOf(group, signed), within, timeSpan(group.changes)];
  const heading = inMrkdwn(
    joined(
      parts.filter((phrase) => phrase !== null),
      ' · ',
    ),
  );
  const names = group.things.length === 1 ? [] : group.things.map(nameInList).filter((name) => name !== null);
  const lines = [heading, ...names.map((name): string => inMrkdwn(['• ', ...name]))];
  return inParts(
    lines.map((line) => ({ item: line, size: line.length + 1 })),
    limits.sectionText,
  ).map((part, index) => ({ text: part.join('\n'), under: index === 0 ? null : heading }));
}

function intoPages(paragraphs: readonly Paragraph[]): readonly (readonly string[])[] {
  // Whichever of the two is used up first ends a page.
  const share = charactersPerPage / sectionsPerPage;
  const pages = inParts(
    paragraphs.map((paragraph) => ({ item: paragraph, size: Math.max(paragraph.text.length, share) })),
    charactersPerPage,
  );
  // A page that begins in the middle of a group says again whose names these are.
  return pages.map(([first, ...rest]) => [
    ...(first?.under ? [first.under] : []),
    ...[first, ...rest].flatMap((paragraph) => (paragraph ? [paragraph.text] : [])),
  ]);
}

/** Cuts a list into parts whose sizes stay within `max`; something bigger than that has a part to itself. */
function inParts<T>(sized: readonly { readonly item: T; readonly size: number }[], max: number): T[][] {
  const parts: T[][] = [];
  let used = max;
  for (const { item, size } of sized) {
    if (used + size > max) {
      parts.push([]);
      used = 0;
    }
    parts.at(-1)?.push(item);
    used += size;
  }
  return parts;
}

const showAllPages = { previous: actionIds.showAllPrevious, next: actionIds.showAllNext };
