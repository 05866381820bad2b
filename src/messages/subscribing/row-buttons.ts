import type { ActionsBlock, Button } from '@slack/types';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import type { SubscriptionState } from '../../core/model/subscription.ts';
import { actionIds } from '../text/action-ids.ts';
import { describeTarget, type Pause, type PauseReason } from '../text/copy.ts';
import { actions, button } from '../text/message.ts';

/** A subscription as far as its buttons go. */
export type ButtonRow = {
  /** Sent back by each of them. */
  readonly id: string;
  readonly subscribed: Subscribed;
  readonly state: SubscriptionState;
  readonly pause?: Pause | undefined;
};

/** Asks before it counts; said in few words, since a page of rows has many of these. */
export function removeButton({ id, subscribed }: ButtonRow): Button {
  return button({
    actionId: actionIds.subscriptionRemove,
    label: 'Remove',
    value: id,
    spoken: ['Remove ', ...describeTarget(subscribed)],
    confirm: {
      title: 'Remove this subscription?',
      text: ['Nothing more is posted of it. That can be undone for a few minutes.'],
      yes: 'Remove',
      style: 'danger',
    },
  });
}

/** What can be done about a subscription where it is listed. `listPage` comes back as the beginning of the `block_id`. */
export function rowButtons(row: ButtonRow, listPage: string): ActionsBlock {
  const { id, subscribed, state, pause } = row;
  const target = describeTarget(subscribed);
  const make = (actionId: string, label: string) =>
    button({ actionId, label, value: id, spoken: [`${label} `, ...target] });
  const isPausedByPerson = state === 'paused' && pause?.reason === 'by a person';
  return {
    ...actions([
      make(actionIds.subscriptionEdit, 'Edit'),
      ...(state === 'active' ? [make(actionIds.subscriptionPause, 'Pause')] : []),
      ...(isPausedByPerson ? [make(actionIds.subscriptionResume, 'Resume')] : []),
      ...(pause && endsByTakingOver[pause.reason] ? [make(actionIds.subscriptionTakeOver, 'Take over')] : []),
      removeButton(row),
    ]),
    block_id: `${listPage}/${id}`,
  };
}

/** The page that a button of a row stands on, from the `block_id` around it; null where it is none of a row. */
export function listPageOfRow(blockId: string): string | null {
  const end = blockId.lastIndexOf('/');
  return end === -1 ? null : blockId.slice(0, end);
}

/** Pauses that lie in somebody's link or account: another person's link ends them. */
const endsByTakingOver: Readonly<Record<PauseReason, boolean>> = {
  'not in channel': false,
  'channel archived': false,
  'posting restricted': false,
  'workspace access': false,
  'by a person': false,
  'link lost': true,
  unlinked: true,
  'owner gone': true,
  'no access': true,
  'not sent any more': true,
};
