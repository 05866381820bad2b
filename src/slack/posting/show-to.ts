import type { SlackPerson } from '../../core/model/people.ts';
import type { Message } from '../../messages/text/message.ts';
import type { SlackApi } from '../slack-api.ts';

/** Shows a message in a channel, or in one of its threads, to one person only. Slack does not keep it. Throws if Slack refuses it. */
export async function showTo(
  { clientOf }: SlackApi,
  person: SlackPerson,
  { channelId, threadTs }: { readonly channelId: string; readonly threadTs: string | null },
  { text, blocks }: Message,
): Promise<void> {
  const { client } = await clientOf(person);
  await client.chat.postEphemeral({
    channel: channelId,
    user: person.userId,
    text,
    blocks,
    ...(threadTs === null ? {} : { thread_ts: threadTs }),
  });
}
