import type { Copy } from '../text/copy.ts';
import { type Message, notice } from '../text/message.ts';
import { plainly, say, typed } from '../text/phrase.ts';

/** Asks a person by direct message to link again. It names a command, because a link would expire before the person reads it. */
export function relinkRequest(account: string | null, copy: Copy): Message {
  const as = account === null ? [] : say` as ${plainly(account)}`;
  return notice`Your link to ${plainly(copy.serviceName)}${as} stopped working, so I can’t create, change or check your subscriptions. To link again: ${typed(`${copy.commands.plancast} link`)}`;
}
