import {
  followsSince,
  itemQuestion,
  linksQuestion,
  noLinks,
} from '../../messages/explaining/link-previews.ts';
import * as directMessages from '../../store/tables/direct-messages.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { atHome } from '../access/place.ts';
import { requireMaySee } from '../access/who-may.ts';
import type { Bot } from '../bot.ts';
import type { ShownEvent } from '../channels/exclude.ts';
import { isDirect } from '../model/people.ts';
import type { Followed, SubscribeRequest } from '../model/request.ts';
import { type LinkedTarget, targetsOf } from '../model/service-urls.ts';
import { subscribedOf } from '../model/subscription.ts';
import { isName } from '../model/typed-text.ts';
import { knownFolders, seenOf } from './known-folders.ts';
import { plainRequest, recognized } from './offers.ts';
import { followedBy } from './preview-links.ts';
import { namesShownTo } from './read-with-known.ts';
import { openFilledForm } from './show-form.ts';

/** Opens the form for what the links of a message lead to; asks if there are several. Says so if the channel follows it already. */
export async function followLinks(
  bot: Bot,
  asked: CommandContext,
  { targets }: { readonly targets: readonly LinkedTarget[] },
): Promise<void> {
  const [target, ...others] = targets;
  if (target === undefined) return asked.reply(noLinks(asked.copy.serviceName));
  const context = await atHome(bot, asked);
  if (others.length > 0) {
    const found = await namesShownTo(bot, context);
    return context.reply(
      linksQuestion(
        targets.map((target) =>
          target.kind === 'item' ? { target, name: null } : recognized(target, found),
        ),
      ),
    );
  }
  const isBetweenPeople =
    context.inGroupMessage ||
    (isDirect(context.channelId) && !(await directMessages.isOwn(bot.db, channelOf(context))));
  if (!isBetweenPeople) {
    await requireMaySee(bot, context);
    const row = followedBy(await subscriptions.ofChannel(bot.db, channelOf(context)), target);
    if (row) {
      return context.reply(followsSince({ id: row.id, subscribed: subscribedOf(row), since: row.createdAt }));
    }
  }
  const followed = target.kind === 'item' ? await kindOf(bot, context, target) : target;
  if (followed !== null) {
    const request = plainRequest(followed);
    return openFilledForm(bot, context, request, isBetweenPeople ? { anywhere: true } : { keeps: request });
  }
  const [file, folder] = targetsOf(target).map(plainRequest);
  if (file && folder) await context.reply(itemQuestion({ file, folder }));
}

/** Returns a file or folder, if what this person may know of its project shows which it is; else null. */
async function kindOf(
  bot: Bot,
  context: CommandContext,
  item: Extract<LinkedTarget, { kind: 'item' }>,
): Promise<Followed | null> {
  const seen = await seenOf(bot, context, item.projectId);
  if (knownFolders(seen).some(({ id }) => id === item.itemId)) return { ...item, kind: 'folder' };
  const isFile = seen.some(({ itemId, itemType }) => itemId === item.itemId && itemType === 'file');
  return isFile ? { ...item, kind: 'file' } : null;
}

/** Returns what `/subscribe file … to me` asks for, for an event's item; null if it cannot be followed. What may be a folder counts as a file. */
export function followRequest({ event, change }: ShownEvent): SubscribeRequest | null {
  const { projectId, itemId } = event.notification;
  const { kind, name } = change;
  if (projectId === null || itemId === null) return null;
  if (kind !== 'folder' && kind !== 'file' && kind !== 'item') return null;
  return {
    ...plainRequest({ kind: kind === 'folder' ? 'folder' : 'file', projectId, itemId }),
    personal: true,
    name: name !== null && isName(name) ? name : undefined,
  };
}
