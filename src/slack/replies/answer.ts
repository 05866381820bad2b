import type { Message } from '../../messages/text/message.ts';
import type { SlackApi } from '../slack-port.ts';

/** How long to wait for Slack to accept an answer. */
const timeoutMs = 10_000;

type AnswerOptions = {
  /** Replaces the message of the pressed button. */
  readonly replace?: boolean | undefined;
  /** Deletes the message of the pressed button. */
  readonly remove?: boolean | undefined;
};

/** Answers in private through a `response_url`, if that is on an allowed origin, whatever a request claims. No error names it. */
export async function answer(
  { responseOrigins }: Pick<SlackApi, 'responseOrigins'>,
  responseUrl: string,
  message: Message | null,
  options: AnswerOptions = {},
): Promise<void> {
  if (!URL.canParse(responseUrl) || !responseOrigins.includes(new URL(responseUrl).origin)) {
    throw new Error('the response_url does not belong to Slack');
  }
  const body = {
    response_type: 'ephemeral',
    ...(message ? { text: message.text, blocks: message.blocks } : {}),
    ...(options.replace ? { replace_original: true } : {}),
    ...(options.remove ? { delete_original: true } : {}),
  };
  const response = await fetch(responseUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`Slack returned ${response.status} for a response_url`);
}
