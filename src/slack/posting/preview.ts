import type { Workspace } from '../../core/model/people.ts';
import type { PostedLinks } from '../../core/slack.ts';
import type { Message } from '../../messages/text/message.ts';
import type { SlackApi } from '../slack-api.ts';
import { outcomeOf } from './post-outcomes.ts';

/**
 * Shows previews below a message that was posted, not one that is still being written.
 * @returns after how many seconds Slack takes them if it limits them now; else null
 */
export async function preview(
  { recentClientOf }: SlackApi,
  workspace: Workspace,
  posted: PostedLinks,
  previews: ReadonlyMap<string, Message>,
): Promise<number | null> {
  const { client, identity } = await recentClientOf(workspace);
  if (identity.scopes?.includes('links:write') === false) return null;
  const where =
    posted.unfurlId === null
      ? { channel: posted.channelId, ts: posted.ts }
      : { unfurl_id: posted.unfurlId, source: 'conversations_history' as const };
  const unfurls = Object.fromEntries([...previews].map(([url, { blocks }]) => [url, { blocks }]));
  try {
    await client.chat.unfurl({ ...where, unfurls });
    return null;
  } catch (error) {
    const outcome = outcomeOf(error);
    if (outcome.kind === 'wait') return outcome.seconds;
    throw error;
  }
}
