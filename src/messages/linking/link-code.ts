import type { ModalView } from '@slack/types';
import { actionIds, blockIds, callbackIds } from '../text/action-ids.ts';
import type { Copy } from '../text/copy.ts';
import { input, textField } from '../text/input.ts';
import { type Message, messageOf, requestButton, section } from '../text/message.ts';
import { modal } from '../text/modal.ts';
import { counted, plainly, say } from '../text/phrase.ts';

/** Makes the form for the code that the browser shows at the end of linking. `metadata` comes back with it. */
export function linkCodeModal(copy: Copy, metadata = ''): ModalView {
  return modal({
    callbackId: callbackIds.linkCode,
    metadata,
    title: 'Enter code',
    submit: 'Link',
    blocks: [
      section([
        say`After you sign in at ${plainly(copy.serviceName)}, your browser may show a code of six letters and digits. Enter it here.`,
      ]),
      input(actionIds.code, {
        label: 'Code',
        hint: 'Enter only a code from your own browser. Don’t share it.',
        element: {
          ...textField({ most: 40, placeholder: 'e.g. K7M2QX' }),
          focus_on_load: true,
        },
      }),
    ],
  });
}

/** Why a code was refused. `triesLeft` counts down to `used up`. */
export type CodeFault =
  | { readonly kind: 'malformed' | 'expired' | 'used up' | 'none expected' | 'other account' }
  | { readonly kind: 'wrong'; readonly triesLeft: number };

/** Says why a code was refused, without what to do about it. */
function whyRefused(fault: CodeFault): string {
  switch (fault.kind) {
    case 'malformed':
      return 'That isn’t a code. A code has six letters and digits, without O, I, 0 or 1.';
    case 'wrong':
      return `That isn’t the code your browser shows. You have ${counted(fault.triesLeft, 'more try', 'more tries')}.`;
    case 'expired':
      return 'This code has expired.';
    case 'used up':
      return 'Too many wrong codes.';
    case 'none expected':
      return 'I’m not expecting a code from you.';
    case 'other account':
      return 'You’re linked to another account, so nothing changed.';
  }
}

/** Whether another code can still be entered. */
function canEnter({ kind }: CodeFault): boolean {
  return kind === 'malformed' || kind === 'wrong';
}

/** Returns the errors of the code form, by block (Slack: response_action "errors"). */
export function linkCodeErrors(fault: CodeFault): Record<string, string> {
  return { [blockIds.code]: `${whyRefused(fault)}${canEnter(fault) ? '' : ' Close this and start again.'}` };
}

/** Answers a refused code that was typed as a command, in private. */
export function codeNotTaken(fault: CodeFault): Message {
  return messageOf({
    lines: [[whyRefused(fault)]],
    buttons: [
      canEnter(fault)
        ? requestButton('Enter code', { act: 'enter-code' })
        : requestButton('Start again', { act: 'link' }),
    ],
  });
}
