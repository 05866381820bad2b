import type { SlackPerson } from '../../core/model/people.ts';
import { DirectMessageRefused } from '../../core/slack.ts';
import type { Message } from '../../messages/text/message.ts';
import type { WebClients } from '../installing/web-clients.ts';
import { outcomeOf } from './post-outcomes.ts';

/** Sends a person a direct message, as `DirectMessage` says. Slack opens the conversation when given a user id. */
export function makeDirectMessage(deps: {
  readonly clients: WebClients;
  /** Stores the conversation's own id, which Slack returns. */
  readonly directMessages: {
    readonly keep: (person: SlackPerson, channelId: string) => Promise<void>;
  };
}) {
  const { clients, directMessages } = deps;
  return async (person: SlackPerson, message: Message): Promise<void> => {
    const { client } = await clients(person);
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
  };
}
