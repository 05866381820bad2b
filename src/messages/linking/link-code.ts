import type { ModalView } from '@slack/types';
import { actionIds, blockIds, callbackIds } from '../text/action-ids.ts';
import type { Copy } from '../text/copy.ts';
import { input, textField } from '../text/input.ts';
import { type Message, notice, section } from '../text/message.ts';
import { modal } from '../text/modal.ts';
import { counted, type Phrase, plainly, say, typed } from '../text/phrase.ts';

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

/** What to do then: the words after the reason in the form, and the ones before a command. */
const remedies = {
  malformed: { inForm: '', begin: 'Try again with', command: 'link CODE' },
  wrong: { inForm: '', begin: 'Try again with', command: 'link CODE' },
  expired: { inForm: ' Close this and start again.', begin: 'Start again with', command: 'link' },
  'used up': { inForm: ' Close this and start again.', begin: 'Start again with', command: 'link' },
  'none expected': {
    inForm: ' Start linking first; your browser then shows one.',
    begin: 'Start with',
    command: 'link',
  },
  'other account': {
    inForm: ' Close this and start again.',
    begin: 'To switch, start with',
    command: 'link',
  },
} as const satisfies Record<CodeFault['kind'], object>;

/** Says in the form's field why a code was refused, and what to do. */
export function codeFaultWords(fault: CodeFault): string {
  return whyRefused(fault) + remedies[fault.kind].inForm;
}

/** Returns the errors of the code form, by block (Slack: response_action "errors"). */
export function linkCodeErrors(fault: CodeFault): Record<string, string> {
  return { [blockIds.code]: codeFaultWords(fault) };
}

/** Answers a refused code that was typed as a command, in private. */
export function codeNotTaken(fault: CodeFault, copy: Copy): Message {
  const why: Phrase = [whyRefused(fault)];
  const { begin, command } = remedies[fault.kind];
  return notice`${why} ${begin} ${typed(`${copy.commands.plancast} ${command}`)}.`;
}
