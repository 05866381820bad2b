import type { HomeView, KnownBlock, ModalView } from '@slack/types';
import { callbackIds } from './action-ids.ts';
import { limits } from './limits.ts';
import { type Message, plainText, requestButton } from './message.ts';

/** Makes a form. `metadata` comes back with it. Throws a RangeError if that is longer than Slack accepts. */
export function modal(form: {
  readonly callbackId: string;
  readonly metadata?: string;
  readonly title: string;
  readonly submit?: string | undefined;
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

/** Makes a Home tab. `metadata` comes back with every press in it. */
export function homeTab(metadata: string, blocks: KnownBlock[]): HomeView {
  return { type: 'home', callback_id: callbackIds.home, private_metadata: metadata, blocks };
}

/** Makes the large heading of a screen. */
export function header(text: string): KnownBlock {
  return { type: 'header', text: plainText(text, limits.headerText) };
}

/** Makes the button that leads from an admin screen back to the person's own subscriptions. */
export const backButton = requestButton('← My subscriptions', { act: 'home', page: 0 });
