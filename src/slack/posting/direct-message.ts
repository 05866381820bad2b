import type { SlackPerson } from '../../core/model/people.ts';
import type { Message } from '../../messages/text/message.ts';
import type { WebClients } from '../installing/web-clients.ts';

/** Sends a person a direct message. Slack opens the conversation for a user's id. */
export function makeDirectMessage({ clients }: { readonly clients: WebClients }) {
  return async (person: SlackPerson, message: Message): Promise<void> => {
    const { client } = await clients(person);
    await client.chat.postMessage({
      channel: person.userId,
      text: message.text,
      blocks: message.blocks,
      unfurl_links: false,
      unfurl_media: false,
    });
  };
}
