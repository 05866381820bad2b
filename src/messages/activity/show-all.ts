import type { KnownBlock, ModalView } from '@slack/types';
import type { Change } from '../../core/model/change.ts';
import { callbackIds } from '../text/action-ids.ts';
import { limits } from '../text/limits.ts';
import { mrkdwn, pageButtons, pageOf, section } from '../text/message.ts';
import { modal } from '../text/modal.ts';
import { counted, inMrkdwn, joined, say, strong } from '../text/phrase.ts';
import { type Group, groupChanges } from './grouping.ts';
import { commonWithin, nameInList, sentenceOf, timeSpan, withinOf } from './sentences.ts';

/** Leaves room for the heading and the page buttons in a view of 100 blocks. */
const sectionsPerPage = 90;
/** As much as anyone would scroll through, and far below a view's limit of 250 kB. */
const charactersPerPage = 30_000;

/**
 * Lists every change of a message by name, in a form with pages. `page` counts from 0; out of range, the nearest page is shown.
 *
 * @param list `metadata` comes back with the page buttons; each button's value is the page it leads to
 * @throws RangeError if `metadata` is longer than Slack accepts
 */
export function showAllView(list: {
  readonly changes: readonly Change[];
  readonly page: number;
  readonly metadata: string;
  /** Whether each sentence starts with the sign of its verb. */
  readonly signed?: boolean | undefined;
}): ModalView {
  const { changes, metadata, signed = true } = list;
  const groups = groupChanges(changes);
  const [first] = changes;
  const common = commonWithin(changes) && first ? withinOf({ ...first, kind: 'item' }) : null;
  const pages = intoPages(
    groups.flatMap((group) => paragraphsOf(group, { withPlace: common === null, signed })),
  );
  const page = Math.max(0, Math.min(Math.trunc(list.page) || 0, pages.length - 1));
  return viewOf(metadata, [
    section([
      say`${counted(changes.length, 'change')}${common === null ? [] : say` in ${common}`}${pageOf(page, pages.length)}:`,
    ]),
    ...(pages[page] ?? []).map((text): KnownBlock => ({ type: 'section', text: mrkdwn(text), expand: true })),
    ...pageButtons((there) => ({ act: 'show-all', page: there }), {
      page,
      pages: pages.length,
      of: 'changes',
    }),
  ]);
}

/** Replaces the list when the details of its message are no longer stored. */
export const showAllGone = viewOf('', [
  section([say`The details of this message are no longer stored.`]),
  section([say`To see what changed, look in the service itself.`]),
]);

/** Replaces the list when the message is so new that its details are not stored yet. */
export const showAllSoon = viewOf('', [
  section([say`This message was posted a moment ago, and its details are still being stored.`]),
  section([say`Close this and press ${strong('Show all')} again in a few seconds.`]),
]);

function viewOf(metadata: string, blocks: KnownBlock[]): ModalView {
  return modal({ callbackId: callbackIds.showAll, metadata, title: 'All changes', close: 'Close', blocks });
}

/** The text of one section. `under` is its heading, if that is in an earlier section. */
type Paragraph = { readonly text: string; readonly under: string | null };

/** Renders a group as one paragraph, or as several if one would be too long for a section. */
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
  const lines = [heading, ...names.map((name): string => inMrkdwn(say`• ${name}`))];
  return inParts(
    lines.map((line) => ({ item: line, size: line.length + 1 })),
    limits.sectionText,
  ).map((part, index) => ({ text: part.join('\n'), under: index === 0 ? null : heading }));
}

function intoPages(paragraphs: readonly Paragraph[]): readonly (readonly string[])[] {
  // A page ends when it has used up either its sections or its characters.
  const share = charactersPerPage / sectionsPerPage;
  const pages = inParts(
    paragraphs.map((paragraph) => ({ item: paragraph, size: Math.max(paragraph.text.length, share) })),
    charactersPerPage,
  );
  // A page that starts in the middle of a group repeats the group's heading.
  return pages.map(([first, ...rest]) => [
    ...(first?.under ? [first.under] : []),
    ...[first, ...rest].flatMap((paragraph) => (paragraph ? [paragraph.text] : [])),
  ]);
}

/** Splits a list into parts of at most size `max`; a bigger item gets a part of its own. */
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
