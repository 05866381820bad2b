import type { ActionsBlock, Button, Overflow } from '@slack/types';
import { isOwnerReason, pausedByPerson } from '../../core/model/pause-reason.ts';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import type { SubscriptionState } from '../../core/model/subscription.ts';
import { actionIds } from '../text/action-ids.ts';
import { describeTarget, type Pause } from '../text/copy.ts';
import { optionsOf } from '../text/input.ts';
import { button } from '../text/message.ts';
import { say } from '../text/phrase.ts';

/** What the buttons of a subscription need. */
type ButtonRow = {
  /** The value of each button. */
  readonly id: string;
  readonly subscribed: Subscribed;
  readonly state: SubscriptionState;
  readonly pause?: Pause | undefined;
};

/** Makes a button for a subscription, which screen readers name. */
export function subscriptionButton(actionId: string, label: string, { id, subscribed }: NamedRow): Button {
  return button(actionId, label, { value: id, spokenAfter: say` ${describeTarget(subscribed)}` });
}

/** A subscription that a button is about. */
export type NamedRow = Pick<ButtonRow, 'id' | 'subscribed'>;
/** `personal`: in an announcement that only its owner reads. */
type RemovableRow = Pick<ButtonRow, 'id' | 'subscribed'> & {
  readonly personal?: boolean | undefined;
};

/** Makes the button that ends a pause made by a person. */
export function resumeButton(row: NamedRow): Button {
  return subscriptionButton(actionIds.subscriptionResume, 'Resume', row);
}

/** Makes the button that replaces the owner, whose link or account caused a pause, with the reader. */
export function takeOverButton(row: NamedRow): Button {
  return subscriptionButton(actionIds.subscriptionTakeOver, 'Take over', row);
}

/** Makes the button that opens the form to edit a subscription. */
export function editButton(row: NamedRow): Button {
  return subscriptionButton(actionIds.subscriptionEdit, 'Edit', row);
}

/** Makes the buttons below an announcement in a person's direct messages, where no command can be typed. */
export function personalButtons(row: NamedRow): readonly Button[] {
  return [editButton(row), removeButton({ ...row, personal: true })];
}

/** Makes the Remove button, which asks for confirmation. The question is short, since a page of rows has many of them. */
export function removeButton({ id, subscribed, personal }: RemovableRow): Button {
  const words = {
    ...(personal
      ? { label: 'Stop following', title: 'Stop following this?' }
      : { label: 'Remove', title: 'Remove this subscription?' }),
    text: 'I’ll stop posting its changes. You can undo this for 10 minutes.',
  } as const;
  return button(actionIds.subscriptionRemove, words.label, {
    value: id,
    spokenAfter: say` ${describeTarget(subscribed)}`,
    confirm: { title: words.title, text: [words.text], yes: words.label, style: 'danger' },
  });
}

/**
 * Makes the controls of a subscription in a list: buttons to stop and start it, and a menu for the rest. `listPage` starts the
 * `block_id`.
 */
export function rowButtons(row: ButtonRow, listPage: string): ActionsBlock {
  const { id, state, pause } = row;
  const isPausedByPerson = state === 'paused' && pause?.reason === pausedByPerson;
  return {
    type: 'actions',
    elements: [
      ...(state === 'active' ? [subscriptionButton(actionIds.subscriptionPause, 'Pause', row)] : []),
      ...(isPausedByPerson ? [resumeButton(row)] : []),
      // These pauses cannot be resumed; taking over ends them.
      ...(pause && isOwnerReason(pause.reason) ? [takeOverButton(row)] : []),
      removeButton(row),
      rowMenu(id),
    ],
    block_id: `${listPage}/${id}`,
  };
}

const menuLabels = { edit: 'Edit', activity: 'Recent activity', check: 'Check connection' } as const;

/** An entry in the menu of a row. */
export type RowMenuAct = keyof typeof menuLabels;

function rowMenu(id: string): Overflow {
  const options = optionsOf(menuLabels).map(({ text, value }) => ({ text, value: `${value}:${id}` }));
  return { type: 'overflow', action_id: actionIds.subscriptionMenu, options };
}

/** Reads the choice in the menu of a row; null if it is not one of ours. */
export function readRowMenu(value: string): { readonly act: RowMenuAct; readonly id: string } | null {
  const [act, id] = value.split(':', 2);
  const known = Object.keys(menuLabels).find((each): each is RowMenuAct => each === act);
  return known === undefined || id === undefined ? null : { act: known, id };
}

/** Reads the page of a row's button from its `block_id`; null if the block is not a row. */
export function listPageOfRow(blockId: string): string | null {
  const end = blockId.lastIndexOf('/');
  return end === -1 ? null : blockId.slice(0, end);
}
