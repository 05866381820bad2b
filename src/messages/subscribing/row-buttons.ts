import type { ActionsBlock, Button, Overflow } from '@slack/types';
import { isOwnerReason, pausedByPerson } from '../../core/model/pause-reason.ts';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import type { SubscriptionState } from '../../core/model/subscription.ts';
import { actionIds } from '../text/action-ids.ts';
import { describeTarget, type Pause } from '../text/copy.ts';
import { optionsOf } from '../text/input.ts';
import { button } from '../text/message.ts';

/** A subscription as far as its buttons go. */
export type ButtonRow = {
  /** Sent back by each of them. */
  readonly id: string;
  readonly subscribed: Subscribed;
  readonly state: SubscriptionState;
  readonly pause?: Pause | undefined;
  readonly followedFrom?: string | undefined;
};

/** A button about a subscription, which is named to people who only hear it. */
export function subscriptionButton(actionId: string, label: string, { id, subscribed }: NamedRow): Button {
  return button({ actionId, label, value: id, spokenAfter: [' ', ...describeTarget(subscribed)] });
}

type NamedRow = Pick<ButtonRow, 'id' | 'subscribed'>;

/** Ends a pause that a person made. */
export function resumeButton(row: NamedRow): Button {
  return subscriptionButton(actionIds.subscriptionResume, 'Resume', row);
}

/** Replaces the owner, whose link or account caused a pause, by the reader. */
export function takeOverButton(row: NamedRow): Button {
  return subscriptionButton(actionIds.subscriptionTakeOver, 'Take over', row);
}

/** Asks before it counts; in few words, since a page of rows has many of these. */
export function removeButton({ id, subscribed, followedFrom }: ButtonRow): Button {
  const words =
    followedFrom === undefined
      ? {
          label: 'Remove',
          title: 'Remove this subscription?',
          text: 'I’ll stop posting its changes. You can undo this for 10 minutes.',
        }
      : {
          label: 'Stop following',
          title: 'Stop following this?',
          text: 'To follow it again, use the menu of a message about it in the channel.',
        };
  return button({
    actionId: actionIds.subscriptionRemove,
    label: words.label,
    value: id,
    spokenAfter: [' ', ...describeTarget(subscribed)],
    confirm: { title: words.title, text: [words.text], yes: words.label, style: 'danger' },
  });
}

/**
 * What can be done about a subscription where it is listed: what stops and starts it as buttons, the rest in a menu. `listPage` comes
 * back as the beginning of the `block_id`.
 */
export function rowButtons(row: ButtonRow, listPage: string): ActionsBlock {
  const { id, state, pause } = row;
  const isPausedByPerson = state === 'paused' && pause?.reason === pausedByPerson;
  return {
    type: 'actions',
    elements: [
      ...(state === 'active' ? [subscriptionButton(actionIds.subscriptionPause, 'Pause', row)] : []),
      ...(isPausedByPerson ? [resumeButton(row)] : []),
      // For these pauses, taking over is what resuming is for the others.
      ...(pause && isOwnerReason(pause.reason) ? [takeOverButton(row)] : []),
      removeButton(row),
      rowMenu(id),
    ],
    block_id: `${listPage}/${id}`,
  };
}

const menuLabels = { edit: 'Edit', activity: 'Recent activity', check: 'Check connection' } as const;

/** What the menu of a row offers. */
export type RowMenuAct = keyof typeof menuLabels;

function rowMenu(id: string): Overflow {
  const options = optionsOf(menuLabels).map(({ text, value }) => ({ text, value: `${value}:${id}` }));
  return { type: 'overflow', action_id: actionIds.subscriptionMenu, options };
}

/** Reads what was chosen in the menu of a row; null where it is none of ours. */
export function readRowMenu(value: string): { readonly act: RowMenuAct; readonly id: string } | null {
  const [act, id] = value.split(':', 2);
  const known = Object.keys(menuLabels).find((each): each is RowMenuAct => each === act);
  return known === undefined || id === undefined ? null : { act: known, id };
}

/** The page that a button of a row stands on, from the `block_id` around it; null where it is none of a row. */
export function listPageOfRow(blockId: string): string | null {
  const end = blockId.lastIndexOf('/');
  return end === -1 ? null : blockId.slice(0, end);
}
