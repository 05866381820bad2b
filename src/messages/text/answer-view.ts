import type { ModalView } from '@slack/types';
import { callbackIds } from './action-ids.ts';
import { limits } from './limits.ts';
import { type Message, plainText } from './message.ts';

/** Makes a form without fields from a private answer to a press in the Home tab, where there is no other place to answer. */
export function answerView({ blocks }: Message): ModalView {
  return {
    type: 'modal',
    callback_id: callbackIds.answer,
    title: plainText('Plancast', limits.modalTitle),
    close: plainText('Close', limits.modalButton),
    blocks,
  };
}
