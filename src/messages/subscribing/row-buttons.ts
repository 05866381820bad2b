import type { ActionsBlock, Button } from '@slack/types';
import { isOwnerReason, pausedByPerson } from '../../core/model/pause-reason.ts';
import type { Subscribed, SubscriptionState } from '../../core/model/subscription.ts';
import { describeTarget, type Pause } from '../text/copy.ts';
import { actions, menu, requestButton } from '../text/message.ts';
import { type Phrase, say } from '../text/phrase.ts';

/** A subscription that a button is about. */
export type NamedRow = { readonly id: string; readonly subscribed: Subscribed };

/** What the buttons of a subscription ask for. Taking over replaces the owner, whose link or account caused a pause, with the reader. */
const labels = {
  pause: 'Pause',
  resume: 'Resume',
  'take-over': 'Take over',
  edit: 'Edit',
  'admin-pause': 'Pause',
  'admin-resume': 'Resume',
} as const;

/** Makes a button for a subscription, which screen readers name. */
export function rowButton(act: keyof typeof labels, row: NamedRow): Button {
  return requestButton(labels[act], { act, id: row.id }, { spokenAfter: nameAfter(row) });
}

function nameAfter({ subscribed }: NamedRow): Phrase {
  return say` ${describeTarget(subscribed)}`;
}

/** Makes the buttons below an announcement in a person's direct messages, where no command can be typed. */
export function personalButtons(row: NamedRow): readonly Button[] {
  return [rowButton('edit', row), removeButton(row, 'remove', true)];
}

/** Makes the Remove button with a short question, as a page has many. `personal`: in an announcement that only the owner reads. */
export function removeButton(
  row: NamedRow,
  act: 'remove' | 'admin-remove' = 'remove',
  personal = false,
): Button {
  const label = personal ? 'Stop following' : 'Remove';
  const title = personal ? 'Stop following this?' : 'Remove this subscription?';
  const text = say`I’ll stop posting its changes. This can be undone for 10 minutes.`;
  const confirm = { title, text, yes: label, style: 'danger' } as const;
  return requestButton(label, { act, id: row.id }, { spokenAfter: nameAfter(row), confirm });
}

type ControlledRow = NamedRow & {
  readonly state: SubscriptionState;
  readonly pause?: Pause | undefined;
};

/** Makes the controls of a subscription in a list: buttons to stop and start it, and a menu. `listPage` starts the `block_id`. */
export function rowButtons(row: ControlledRow, listPage: string): ActionsBlock {
  const { id, state, pause } = row;
  return {
    ...actions([
      state === 'active' && rowButton('pause', row),
      isPausedByPerson(row) && rowButton('resume', row),
      // These pauses cannot be resumed; taking over ends them.
      pause !== undefined && isOwnerReason(pause.reason) && rowButton('take-over', row),
      removeButton(row),
      menu([
        { label: 'Edit', request: { act: 'edit', id } },
        { label: 'Recent activity', request: { act: 'activity', id } },
        { label: 'Check connection', request: { act: 'check', id } },
      ]),
    ]),
    block_id: `${listPage}/${id}`,
  };
}

/** Makes the controls of a subscription in the list of a workspace. */
export function adminButtons(row: ControlledRow): ActionsBlock {
  return actions([
    row.state === 'active' && rowButton('admin-pause', row),
    isPausedByPerson(row) && rowButton('admin-resume', row),
    removeButton(row, 'admin-remove'),
  ]);
}

function isPausedByPerson({ state, pause }: ControlledRow): boolean {
  return state === 'paused' && pause?.reason === pausedByPerson;
}
