import { aboutChannel } from '../../core/access/block-channels.ts';
import type { CommandContext, ContextFacts } from '../../core/access/command-context.ts';
import { contextFields } from '../../core/model/log-fields.ts';
import type { Message } from '../../messages/text/message.ts';
import { directMessage, showTo } from '../posting/post.ts';
import type { SlackApi } from '../slack-api.ts';

/** Returns the context of a command. A reply that Slack does not accept is sent as a direct message. */
export function contextFrom(api: SlackApi, facts: ContextFacts): CommandContext {
  const {
    person,
    channelId,
    madeInChannel,
    inGroupMessage,
    inPublicMessage,
    responseUrl,
    showsReplies,
    triggerId,
  } = facts;
  const { copy, log } = api;
  const elsewhere = { madeInChannel: false, inGroupMessage: false, showsReplies: undefined };
  return {
    person,
    channelId: channelId ?? '',
    madeInChannel,
    inGroupMessage,
    responseUrl,
    triggerId,
    copy: { ...copy, commands: facts.names ?? copy.commands },
    about: (id) => contextFrom(api, id === channelId ? facts : { ...facts, channelId: id, ...elsewhere }),
    reply: async (message, options = {}) => {
      try {
        const shown = madeInChannel ? message : aboutChannel(message, channelId);
        if (responseUrl !== null)
          return await answer(api, responseUrl, shown, { replace: options.replace && !inPublicMessage });
        if (showsReplies && channelId !== null)
          return await showTo(api, person, { ...showsReplies, channelId }, message);
      } catch (error) {
        log.warn(
          { err: error, ...contextFields({ person, channelId: channelId ?? '' }) },
          'Slack did not accept an answer; sent as a direct message',
        );
      }
      await directMessage(api, person, aboutChannel(message, channelId));
    },
  };
}

/** How long to wait for Slack to accept an answer. */
const timeoutMs = 10_000;

type AnswerOptions = {
  /** Replaces the message of the pressed button. */
  readonly replace?: boolean | undefined;
  /** Deletes the message of the pressed button. */
  readonly remove?: boolean | undefined;
};

/** Slack did not accept an answer. The error does not contain the `response_url`. */
class AnswerError extends Error {
  override name = 'AnswerError';
}

/**
 * Answers in private through a `response_url`. Whatever a request claims, only URLs on the allowed origins are used: Slack's own host and
 * the configured Web API.
 */
export async function answer(
  { responseOrigins }: Pick<SlackApi, 'responseOrigins'>,
  responseUrl: string,
  message: Message | null,
  options: AnswerOptions = {},
): Promise<void> {
  if (!URL.canParse(responseUrl) || !responseOrigins.includes(new URL(responseUrl).origin)) {
    throw new AnswerError('the response_url does not belong to Slack');
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
  if (!response.ok) throw new AnswerError(`Slack returned ${response.status} for a response_url`);
}
