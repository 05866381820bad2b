import { cutEnd } from '../../messages/text/escape.ts';
import { limits } from '../../messages/text/limits.ts';
import type { Message } from '../../messages/text/message.ts';
import type { SubmissionResult } from './table.ts';

/** A form as Slack sends it back. */
export type SubmittedView = {
  readonly blocks: readonly { readonly type: string; readonly block_id?: string }[];
};

/** Returns an answer as the error of a form's first field, since Slack has no other place for one in a form that stays open. */
export function atFirstField({ blocks }: SubmittedView, { text }: Message): Record<string, string> {
  const field = blocks.find(({ type }) => type === 'input')?.block_id ?? '';
  return { [field]: cutEnd(text, limits.fieldError) };
}

/** Returns the response that keeps a form open; null if the form closes. */
export function staysOpen({ errors, view }: SubmissionResult) {
  if (errors) return { response_action: 'errors', errors } as const;
  return view ? ({ response_action: 'update', view } as const) : null;
}
