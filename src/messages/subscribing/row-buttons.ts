import type { ActionsBlock, Button, Overflow } from '@slack/types';
import type { Act } from '../../core/model/any-request.ts';
import { isOwnerReason, pausedByPerson } from '../../core/model/pause-reason.ts';
import type { Subscribed, SubscriptionState } from '../../core/model/subscription.ts';
import { describeTarget, type Pause } from '../text/copy.ts';
import { menu, requestButton } from '../text/message.ts';
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
export function subscriptionButton(
  act: SubscriptionAct,
  label: string,
  { id, subscribed }: NamedRow,
  options: Pick<Parameters<typeof requestButton>[2] & object, 'confirm'> = {},
): Button {
  return requestButton(label, { act, id }, { spokenAfter: say` ${describeTarget(subscribed)}`, ...options });
}

/** What a button of a subscription can ask for. */
type SubscriptionAct = Extract<
  Act,
  'pause' | 'resume' | 'take-over' | 'remove' | 'edit' | `admin-${'pause' | 'resume' | 'remove'}`
>;

/** A subscription that a button is about. */
export type NamedRow = Pick<ButtonRow, 'id' | 'subscribed'>;
/** `personal`: in an announcement that only its owner reads. */
type RemovableRow = Pick<ButtonRow, 'id' | 'subscribed'> & {
  readonly personal?: boolean | undefined;
};

/** Makes the button that ends a pause made by a person. */
export function resumeButton(row: NamedRow): Button {
  return subscriptionButton('resume', 'Resume', row);
}

/** Makes the button that replaces the owner, whose link or account caused a pause, with the reader. */
export function takeOverButton(row: NamedRow): Button {
  return subscriptionButton('take-over', 'Take over', row);
}

/** Makes the button that opens the form to edit a subscription. */
export function editButton(row: NamedRow): Button {
  return subscriptionButton('edit', 'Edit', row);
}

/** Makes the buttons below an announcement in a person's direct messages, where no command can be typed. */
export function personalButtons(row: NamedRow): readonly Button[] {
  return [editButton(row), removeButton({ ...row, personal: true })];
}

/** Makes the Remove button, which asks for confirmation. The question is short, since a page of rows has many of them. */
export function removeButton({ personal, ...row }: RemovableRow, act: SubscriptionAct = 'remove'): Button {
  const words = {
    ...(personal
      ? { label: 'Stop following', title: 'Stop following this?' }
      : { label: 'Remove', title: 'Remove this subscription?' }),
    text: 'I’ll stop posting its changes. This can be undone for 10 minutes.',
  } as const;
  return subscriptionButton(act, words.label, row, {
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
      ...(state === 'active' ? [subscriptionButton('pause', 'Pause', row)] : []),
      ...(isPausedByPerson ? [resumeButton(row)] : []),
      // These pauses cannot be resumed; taking over ends them.
      ...(pause && isOwnerReason(pause.reason) ? [takeOverButton(row)] : []),
      removeButton(row),
      rowMenu(id),
    ],
    block_id: `${listPage}/${id}`,
  };
}

function rowMenu(id: string): Overflow {
  return menu([
    { label: 'Edit', request: { act: 'edit', id } },
    { label: 'Recent activity', request: { act: 'activity', id } },
    { label: 'Check connection', request: { act: 'check', id } },
  ]);
}
