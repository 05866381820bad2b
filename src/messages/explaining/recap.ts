import type { AnyRequest } from '../../core/model/any-request.ts';
import type { Change } from '../../core/model/change.ts';
import type { RecapRequest } from '../../core/model/request.ts';
import { linkIn } from '../../core/model/service-urls.ts';
import { listBlocks, listPages, listText } from '../activity/change-list.ts';
import { newestFirst, rowsOf } from '../activity/digest.ts';
import { titleOf } from '../activity/sentences.ts';
import { conversationTitle } from '../text/copy.ts';
import { limits } from '../text/limits.ts';
import {
  actions,
  context,
  type Message,
  messageOf,
  nearestPage,
  notice,
  pageButtons,
  pageOf,
  present,
  requestButton,
  section,
} from '../text/message.ts';
import {
  andMore,
  counted,
  inText,
  item,
  joined,
  type Phrase,
  place,
  plainly,
  quoted,
  say,
  time,
} from '../text/phrase.ts';

/** What changed in what a channel follows since a time, as far as its filters let it pass. */
export type ChangesSince = {
  /** In order of arrival. */
  readonly changes: readonly Change[];
  /** How many of them have not been posted yet. */
  readonly waiting: number;
  readonly filtered: number;
  /** Whether there were more than are looked at, or than there was time for. */
  readonly isCut: boolean;
};

/** Makes a request that leads to another view of the same. */
type Again = (request: Omit<RecapRequest, 'act'>) => AnyRequest;

/** The room of a page: its text must hold all of it. */
const pageRoom = { blocks: 7_000, text: limits.text - 700 };

/** Lists what changed in a channel, or of one item, in pages. `page` counts from 0; out of range, the nearest page is shown. */
export function recapMessage(
  recap: ChangesSince & {
    readonly since: Date;
    /** How many days a recap reaches back in this workspace. */
    readonly days: number;
    readonly page: number;
    /** What is wanted now. */
    readonly request: Pick<RecapRequest, 'since' | 'key'>;
    /** The item, project or session that it is about; null for all that the channel follows. */
    readonly about: string | null;
    /** Whether that is one item. */
    readonly isItem: boolean;
    /** What was typed and is the name of nothing that changed. */
    readonly unknown: string | null;
    /** A channel that is not the one in which it is read. */
    readonly channelId: string | null;
    /** Whether the channel has any subscription. */
    readonly follows: boolean;
    readonly signed: boolean;
    readonly again: Again;
  },
): Message {
  const { changes, days, isItem, unknown, signed, again, request, follows, channelId } = recap;
  if (!follows && changes.length === 0 && channelId === null) return nothingFollowed;
  const rows = isItem ? newestFirst(changes, signed) : rowsOf(changes, { signed, dated: true, people: true });
  const pages = listPages(rows, !isItem, pageRoom);
  const page = nearestPage(recap.page, pages.length);
  const paging = { page, pages: pages.length, of: 'changes' };
  const shown = pages[page] ?? [];
  const head = present<Phrase>([
    unknown !== null &&
      say`${nothingOf(unknown)} changed here in the last ${days === 1 ? 'day' : counted(days, 'day')}`,
    say`${headOf(recap)}${pageOf(page, pages.length)}`,
  ]);
  const small = smallOf(recap);
  const spoken = [...head.map((line) => inText(say`${line}.`)), listText(shown), inText(small)];
  return {
    text: spoken.filter(Boolean).join(' '),
    blocks: [
      section(head),
      ...listBlocks(shown),
      context(small),
      actions([...pageButtons((there) => again({ ...request, page: there }), paging), ...otherViews(recap)]),
    ],
  };
}

/** The beginning of a sentence that ends with "changed". */
const nothingOf = (unknown: string): Phrase =>
  linkIn(unknown) === null ? say`Nothing named ${quoted(unknown)}` : say`What this link leads to hasn’t`;

/** The channel has no subscription, and nothing is left of an earlier one. */
const nothingFollowed = messageOf({
  lines: [say`This channel has no subscriptions yet, so there is nothing to recap.`],
  buttons: [requestButton('Subscribe this channel', { act: 'open-form' }, { style: 'primary' })],
});

function headOf({ changes, since, about, channelId }: Parameters<typeof recapMessage>[0]): Phrase {
  const where = channelId === null ? [] : say`${conversationTitle(channelId)} · `;
  const of = about === null ? [] : say`${item(about)} · `;
  if (changes.length === 0) return say`${where}${of}No changes since ${time(since)}`;
  return say`${where}${of}${titleOf({ changes, because: 'digest', since })}`;
}

function smallOf({ changes, days, waiting, filtered, isCut }: ChangesSince & { days: number }): Phrase {
  const isOne = waiting === 1;
  const parts = present<Phrase>([
    isCut && say`Only the newest changes are listed.`,
    waiting > 0 &&
      (waiting === changes.length
        ? say`${isOne ? 'It hasn’t' : 'They haven’t'} been posted yet.`
        : say`${waiting} of them ${isOne ? 'hasn’t' : 'haven’t'} been posted yet.`),
    filtered > 0 && say`${counted(filtered, 'change')} ${filtered === 1 ? 'was' : 'were'} filtered.`,
    say`A recap goes back ${counted(days, 'day')}; names are deleted after that.`,
  ]);
  return joined(parts, ' ');
}

/** Makes a button for each other time that is often wanted, and where it is read elsewhere, for the other channels. */
function otherViews({
  days,
  request: { since = 'yesterday', key },
  channelId,
  again,
}: Parameters<typeof recapMessage>[0]) {
  const times = [
    { label: 'Today', since: 'today' },
    { label: 'Since yesterday', since: 'yesterday' },
    { label: `Last ${days} days`, since: { days } },
  ] as const;
  const listed = days === 1 ? times.slice(0, 2) : times;
  const others = listed.filter((each) => JSON.stringify(each.since) !== JSON.stringify(since));
  return [
    ...others.map((each, index) =>
      requestButton(each.label, again({ key, since: each.since, page: 0 }), { variant: `since-${index}` }),
    ),
    channelId !== null && requestButton('All channels', { act: 'catch-up' }),
  ];
}

/** An item that a name fits. */
type FittingItem = {
  readonly key: string;
  readonly name: string;
  /** The earlier name that fits, if it is not the current one. */
  readonly previousName: string | null;
  /** Folders from the top down, of an item of a project; and its project or session, if known. */
  readonly folder: readonly string[] | null;
  readonly within: string | null;
};

/** The items that a name fits: the first of them, which are shown, and how many there are. */
export type FittingItems = { readonly first: readonly FittingItem[]; readonly count: number };

/** Asks which of several items is meant. */
export function whichItem(question: {
  readonly named: string;
  readonly items: FittingItems;
  readonly since: RecapRequest['since'];
  readonly again: Again;
}): Message {
  const { named, items, since, again } = question;
  const rows = items.first.map(({ key, name, previousName, folder, within }, index) => {
    const was = previousName === null ? [] : say` (was ${item(previousName)})`;
    const where = folder && folder.length > 0 ? say` in ${place(folder)}` : [];
    const words = say`${item(name)}${was}${where}${within === null ? [] : say` · ${plainly(within)}`}`;
    const options = { variant: `item-${index}`, spokenAfter: say`: ${plainly(name)}` };
    return { lines: [words], button: requestButton('Show', again({ key, since, page: 0 }), options) };
  });
  return messageOf({
    lines: [say`${quoted(named)} matches ${counted(items.count, 'name')}. Which one do you want?`],
    rows,
    small: andMore(items.count - rows.length, 'name').map((line) => say`${line}. Type more of the name.`),
  });
}

/** A channel of the reader in which something changed. */
export type CaughtUpChannel = Pick<ChangesSince, 'changes' | 'isCut'> & { readonly channelId: string };

/** Lists the reader's channels in which something changed, the one with the newest change first. `channelsKnown`: whether Slack could say which they are in. */
export function caughtUp(since: Date, channels: readonly CaughtUpChannel[], channelsKnown: boolean): Message {
  if (!channelsKnown && channels.length === 0)
    return notice`I couldn’t get your channels from Slack. Try again in a minute.`;
  if (channels.length === 0) return notice`No changes in your channels since ${time(since)}.`;
  return messageOf({
    lines: [say`Since ${time(since)}, there were changes in ${counted(channels.length, 'channel')}:`],
    rows: channels.map(({ channelId, changes, isCut }) => {
      const request = { act: 'in-channel', channelId, request: { act: 'recap' } } as const;
      const count = say`${isCut ? 'more than ' : ''}${counted(changes.length, 'change')}`;
      return {
        lines: [say`${conversationTitle(channelId)} · ${count}`, ...headings(changes)],
        button: requestButton('Show', request, { spokenAfter: say` the changes in this channel` }),
      };
    }),
  });
}

/** How many projects and sessions of a channel are named. */
const headingsShown = 5;

function headings(changes: readonly Change[]): readonly Phrase[] {
  const all = rowsOf(changes, { signed: false }).flatMap(({ heading }) => (heading ? [heading] : []));
  return [...all.slice(0, headingsShown), ...andMore(all.length - headingsShown)];
}
