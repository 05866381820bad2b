import type { SlackPerson } from '../../core/model/people.ts';
import { DirectMessageRefused } from '../../core/slack.ts';
import type { Message } from '../../messages/text/message.ts';
import type { SlackApi } from '../slack-api.ts';
import { outcomeOf } from './post-outcomes.ts';

/** Sends a person a direct message. Slack opens the conversation when given a user id, and answers with its own id. */
export async function directMessage(
  { clientOf, directMessages }: SlackApi,
  person: SlackPerson,
  message: Message,
): Promise<void> {
  const { client } = await clientOf(person);
  const answer = await client.chat
    .postMessage({
      channel: person.userId,
      text: message.text,
      blocks: message.blocks,
      unfurl_links: false,
      unfurl_media: false,
    })
    .catch((cause: unknown) => {
      const { kind, error } = outcomeOf(cause);
      const isRefused = kind === 'channel closed' || kind === 'refused';
      throw isRefused ? new DirectMessageRefused(error, { cause }) : cause;
    });
  if (answer.channel?.startsWith('D')) await directMessages.keep(person, answer.channel);
}
