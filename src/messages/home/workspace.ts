import type { Button, HomeView, KnownBlock } from '@slack/types';
import type { WorkspaceFilter } from '../../core/model/any-request.ts';
import { type ListedSubscription, listRows, rowsOfPage } from '../subscribing/lists.ts';
import { adminButtons } from '../subscribing/row-buttons.ts';
import {
  actions,
  buttonRow,
  context,
  pageButtons,
  pageOf,
  present,
  requestButton,
  section,
} from '../text/message.ts';
import {
  actionIds,
  backButton,
  channelPicker,
  header,
  homeTab,
  input,
  optionsOf,
  personPicker,
  select,
} from '../text/modal.ts';
import { channel, counted, grouped, inBold, joined, type Phrase, say } from '../text/phrase.ts';

/** A subscription in the workspace, in a channel that the admin may see. */
export type WorkspaceRow = ListedSubscription & { readonly channelId: string };

/** Numbers of the subscriptions that the admin may not see. */
type HiddenCounts = { readonly privateChannels: number; readonly directMessages: number };

/** Which part of the list is shown. */
export type WorkspaceScreen = { readonly filter: WorkspaceFilter; readonly page: number };

const stateLabels: Readonly<Record<WorkspaceFilter['state'], string>> = {
  all: 'All states',
  working: 'Working',
  paused: 'Paused',
  problem: 'With a problem',
};

/** Lists what of the workspace the admin may see: the `rows` of a page, by channel, of `count`. `complete`: whether Slack could name all channels. */
export function workspaceView(view: {
  readonly screen: WorkspaceScreen;
  readonly rows: readonly WorkspaceRow[];
  readonly count: number;
  readonly channels: number;
  readonly hidden: HiddenCounts;
  readonly complete: boolean;
  readonly metadata: string;
}): HomeView {
  const { screen, rows, count, hidden } = view;
  const { page, pages } = rowsOfPage(count, screen.page);
  const paging = { page, pages, of: 'the workspace’s subscriptions' };
  return homeTab(view.metadata, [
    header('Subscriptions in this workspace'),
    actions([backButton]),
    section([say`${summaryOf(view)}${pageOf(page, pages)}`]),
    ...filterBlocks(screen.filter),
    ...buttonRow([
      isFiltered(screen.filter) && requestButton('Clear filters', { act: 'workspace' }),
      // The row of a single one has the same buttons.
      ...(count < 2 ? [] : bulkButtons(screen.filter, count)),
    ]),
    ...(view.complete
      ? []
      : [context(say`I couldn’t get your channels from Slack, so some are missing. Try again in a minute.`)]),
    ...[...Map.groupBy(rows, ({ channelId }) => channelId)].flatMap(channelBlocks),
    ...buttonRow(pageButtons((there) => ({ act: 'workspace', page: there }), paging)),
    ...hiddenBlocks(hidden),
  ]);
}

function summaryOf({ count, channels, screen }: Parameters<typeof workspaceView>[0]): Phrase {
  if (count > 0) return say`${counted(count, 'subscription')} in ${counted(channels, 'channel')}`;
  return isFiltered(screen.filter)
    ? say`No subscriptions match this filter.`
    : say`There are no subscriptions in the channels you can see.`;
}

function isFiltered({ state, ownerUserId, channelId }: WorkspaceFilter): boolean {
  return state !== 'all' || ownerUserId !== null || channelId !== null;
}

/** Makes the filter fields, each of which sends its change immediately. */
function filterBlocks(filter: WorkspaceFilter): KnownBlock[] {
  const { state, ownerUserId, channelId } = filter;
  const states = select(optionsOf(stateLabels), state);
  return [
    input(actionIds.workspaceState, { label: 'State', dispatches: true, element: states }),
    input(actionIds.workspaceChannel, {
      label: 'Channel',
      optional: true,
      dispatches: true,
      element: channelPicker('Any channel', channelId),
    }),
    input(actionIds.workspaceOwner, {
      label: 'Added by',
      optional: true,
      dispatches: true,
      element: personPicker('Anyone', ownerUserId),
    }),
  ];
}

type BulkAct = `admin-${'pause' | 'resume' | 'remove'}`;

function bulkButtons({ state }: WorkspaceFilter, count: number): Button[] {
  const all = counted(count, 'subscription');
  const button = (label: 'Pause' | 'Resume' | 'Remove', act: BulkAct, text: Phrase) => {
    const style = label === 'Remove' ? 'danger' : undefined;
    const confirm = {
      title: `${label} all of these?`,
      text,
      yes: `${label} all`,
      style: style ?? 'primary',
    } as const;
    return requestButton(`${label} all ${grouped(count)}`, { act }, { style, confirm });
  };
  const resumes = say`Resumes those that a member or admin paused. Each channel gets a summary.`;
  const pauses = say`Pauses the working ones among these ${all}. Each channel is notified and can resume its own.`;
  const removes = say`Removes ${all}. Each channel is notified and can undo this for 10 minutes.`;
  return [
    state === 'paused' ? button('Resume', 'admin-resume', resumes) : button('Pause', 'admin-pause', pauses),
    button('Remove', 'admin-remove', removes),
  ];
}

function channelBlocks([channelId, rows]: readonly [string, readonly WorkspaceRow[]]): KnownBlock[] {
  return [{ type: 'divider' }, section([inBold([channel(channelId)])]), ...listRows(rows, adminButtons)];
}

/** Shows the number of subscriptions that the admin may not see. */
function hiddenBlocks({ privateChannels, directMessages }: HiddenCounts): KnownBlock[] {
  const hidden = present<Phrase>([
    privateChannels > 0 && say`${counted(privateChannels, 'subscription')} in private channels you aren’t in`,
    directMessages > 0 && say`${counted(directMessages, 'subscription')} in direct messages`,
  ]);
  if (hidden.length === 0) return [];
  return [
    { type: 'divider' },
    section([say`Also ${joined(hidden, ' and ')}. Only the people there can see them.`]),
  ];
}
