import type { KnownBlock, ModalView } from '@slack/types';
import { callbackIds } from './action-ids.ts';
import { limits } from './limits.ts';
import { type Message, plainText } from './message.ts';

/** Makes a form. `metadata` comes back with it. Throws a RangeError if that is longer than Slack accepts. */
export function modal(form: {
  readonly callbackId: string;
  readonly metadata?: string;
  readonly title: string;
  readonly submit?: string;
  readonly close?: string;
  readonly blocks: KnownBlock[];
}): ModalView {
  const { callbackId, metadata, title, submit, close = 'Cancel', blocks } = form;
  if ((metadata ?? '').length > limits.privateMetadata) throw new RangeError('The metadata is too long');
  return {
    type: 'modal',
    callback_id: callbackId,
    ...(metadata === undefined ? {} : { private_metadata: metadata }),
    title: plainText(title, limits.modalTitle),
    ...(submit === undefined ? {} : { submit: plainText(submit, limits.modalButton) }),
    close: plainText(close, limits.modalButton),
    blocks,
  };
}

/** Makes a form without fields from a private answer to a press in the Home tab, where there is no other place to answer. */
export function answerView({ blocks }: Message): ModalView {
  return modal({ callbackId: callbackIds.answer, title: 'Plancast', close: 'Close', blocks });
}
