import type { Workspace } from '../../core/model/people.ts';
import type { PostedLinks } from '../../core/slack.ts';
import type { Message } from '../../messages/text/message.ts';
import type { SlackApi } from '../slack-api.ts';

/** Shows previews below a message that was posted, not one that is still being written. */
export async function preview(
  { recentClientOf }: SlackApi,
  workspace: Workspace,
  posted: PostedLinks,
  previews: ReadonlyMap<string, Message>,
): Promise<void> {
  const { client, identity } = await recentClientOf(workspace);
  if (identity.scopes?.includes('links:write') === false) return;
  const where =
    posted.unfurlId === null
      ? { channel: posted.channelId, ts: posted.ts }
      : { unfurl_id: posted.unfurlId, source: 'conversations_history' as const };
  const unfurls = Object.fromEntries([...previews].map(([url, { blocks }]) => [url, { blocks }]));
  await client.chat.unfurl({ ...where, unfurls });
}
