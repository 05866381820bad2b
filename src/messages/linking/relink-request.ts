import type { Copy } from '../text/copy.ts';
import { type Message, messageOf } from '../text/message.ts';
import { plainly, typed } from '../text/phrase.ts';

/**
 * Asks somebody by direct message to link again. It names a command and carries no link of its own: such a link lives for minutes, and
 * nobody knows when this is read.
 */
export function relinkRequest({
  copy,
  account,
}: {
  readonly copy: Copy;
  readonly account: string | null;
}): Message {
  return messageOf({
    lines: [
      [
        'Your link with ',
        plainly(copy.serviceName),
        ...(account === null ? [] : [', as ', plainly(account), ',']),
        ' does not work any more. Until you link again I cannot make, change or check your subscriptions there.',
      ],
      ['To link again: ', typed(`${copy.commands.plancast} link`)],
    ],
  });
}
