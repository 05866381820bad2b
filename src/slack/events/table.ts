import { contextFrom } from '../../core/access/command-context.ts';
import { homeOf } from '../../core/access/place.ts';
import { answerFailures } from '../../core/access/refusal.ts';
import { takeOnceIn } from '../../core/acts/carry-out.ts';
import { invited } from '../../core/acts/invited.ts';
import type { Bot } from '../../core/bot.ts';
import {
  accessGranted,
  type Closing,
  closeChannel,
  endChannel,
  memberLeft,
  moveChannel,
  openChannel,
} from '../../core/channels/channel-facts.ts';
import { channelWasShared, channelWasUnshared } from '../../core/channels/shared-channel.ts';
import { homeOpened } from '../../core/home/show-home.ts';
import { contextFields } from '../../core/model/log-fields.ts';
import type { Channel, Workspace } from '../../core/model/people.ts';
import { previewLinks } from '../../core/subscribing/preview-links.ts';
import { accessRevoked, uninstalled } from '../../core/upstream/departures.ts';
import { minuteMs } from '../../lib/durations.ts';
import { takeMention } from '../acts/take-command.ts';

/** A Slack event addressed to this bot. */
type SlackEvent = {
  readonly workspace: Workspace;
  readonly event: Readonly<Record<string, unknown>>;
  readonly botUserId: string | null;
  readonly receivedAt: Date;
  /** Whether people of another organization are in the channel; false if the event is about none. */
  readonly isShared: boolean;
  /** When it happened by Slack's clock, at the end of that second, because Slack only reports whole seconds. */
  readonly at: Date;
};

/** Maps each Slack event type to its handler. */
export function eventTable(bot: Bot) {
  const inChannel =
    (handler: (channel: Channel, at: string, received: SlackEvent) => Promise<void>) =>
    async (received: SlackEvent): Promise<void> => {
      const { workspace, event, receivedAt } = received;
      if (typeof event.channel !== 'string') return;
      const channel = await homeOf(bot, { ...workspace, channelId: event.channel });
      await handler(channel, timestampOf(event, receivedAt), received);
    };
  const closed = (closing: Closing) => inChannel((channel, at) => closeChannel(bot, channel, closing, at));
  const open = (ended: Closing) => inChannel((channel, at) => openChannel(bot, channel, { ended, at }));
  const deleted = inChannel((channel) => endChannel(bot, channel));

  return {
    app_home_opened: async ({ workspace, event }: SlackEvent) => {
      // Slack reports the Messages tab too.
      if (event.tab === 'home' && typeof event.user === 'string')
        await homeOpened(bot, { ...workspace, userId: event.user });
    },
    channel_id_changed: async ({ workspace, event }: SlackEvent) => {
      const { old_channel_id: from, new_channel_id: to } = event;
      if (typeof from === 'string' && typeof to === 'string')
        await moveChannel(bot, await homeOf(bot, { ...workspace, channelId: from }), to);
    },
    link_shared: (received: SlackEvent) => linked(bot, received),
    app_mention: (received: SlackEvent) => mentioned(bot, received),
    member_joined_channel: inChannel(async (channel, at, { event: { user, inviter }, botUserId }) => {
      if (user === botUserId)
        await invited(bot, channel, { inviter: typeof inviter === 'string' ? inviter : null, at });
      else if (typeof user === 'string') await bot.slack.forgetMember(channel, user);
    }),
    member_left_channel: inChannel(async (channel, at, { event: { user }, botUserId }) => {
      if (typeof user === 'string') await memberLeft(bot, channel, user);
      // Slack sends this one of the bot itself, too, in some workspaces without `channel_left`.
      if (user === botUserId) await closeChannel(bot, channel, 'out', at);
    }),
    channel_left: closed('out'),
    group_left: closed('out'),
    channel_archive: closed('archived'),
    group_archive: closed('archived'),
    channel_unarchive: open('archived'),
    group_unarchive: open('archived'),
    channel_deleted: deleted,
    group_deleted: deleted,
    channel_shared: inChannel((channel, at) => channelWasShared(bot, channel, at)),
    channel_unshared: inChannel((channel, at, { event: { is_ext_shared: stillShared } }) =>
      channelWasUnshared(bot, channel, typeof stillShared === 'boolean' ? stillShared : null, at),
    ),
    app_uninstalled: ({ workspace, at }: SlackEvent) => uninstalled(bot, workspace, at),
    tokens_revoked: async ({ workspace, event, at }: SlackEvent) => {
      if (revokesBot(event)) await uninstalled(bot, workspace, at);
    },
    team_access_granted: (received: SlackEvent) => accessGranted(bot, teamsIn(received), received.at),
    team_access_revoked: (received: SlackEvent) => accessRevoked(bot, teamsIn(received), received.at),
  } as const;
}

/** A person gets help, and an answer to what they name, once in this time each, however often they mention the bot. */
const mentionsEveryMs = minuteMs;

async function mentioned(bot: Bot, { workspace, event, botUserId }: SlackEvent): Promise<void> {
  const { user, channel: channelId, text, thread_ts: thread } = event;
  if (typeof user !== 'string' || typeof channelId !== 'string' || typeof text !== 'string') return;
  if (event.bot_id !== undefined) return;
  const person = { ...workspace, userId: user };
  const takeTurn = (answer: string) =>
    takeOnceIn(bot, `mention:${answer}:${person.teamId}/${user}`, mentionsEveryMs);
  const context = contextFrom(bot, {
    person,
    channelId,
    madeInChannel: true,
    showsReplies: { threadTs: typeof thread === 'string' ? thread : null },
  });
  bot.log.debug({ ...contextFields(context), request: 'app_mention' }, 'Slack request');
  const line = text.replaceAll(new RegExp(`<@${botUserId}(?:\\|[^>]*)?>`, 'g'), ' ');
  await answerFailures(bot, context, () => takeMention(bot, context, line, takeTurn));
}

/** Links are sent twice: while they are being written, when nothing is answered, and once they are posted. */
async function linked(bot: Bot, { workspace, event, isShared }: SlackEvent): Promise<void> {
  const {
    source,
    channel: channelId,
    message_ts: ts,
    unfurl_id: unfurlId,
    is_bot_user_member: isMember,
  } = event;
  if (source === 'composer' || typeof channelId !== 'string' || typeof ts !== 'string') return;
  const urls = (Array.isArray(event.links) ? event.links : []).flatMap((link: { url?: unknown } | null) =>
    typeof link?.url === 'string' ? [link.url] : [],
  );
  const channel = await homeOf(bot, { ...workspace, channelId });
  await previewLinks(bot, channel, {
    unfurlId: typeof unfurlId === 'string' ? unfurlId : null,
    channelId,
    ts,
    urls,
    isMember: isMember === true,
    isShared,
  });
}

/** Returns the timestamp by which events are ordered: Slack's seconds with six decimals, or else the time of receipt. */
function timestampOf({ event_ts: at }: SlackEvent['event'], receivedAt: Date): string {
  return typeof at === 'string' && /^\d{1,12}(\.\d{1,9})?$/.test(at)
    ? at
    : String(receivedAt.getTime() / 1_000);
}

/** Whether the bot's own token was revoked. Users' tokens do not matter, since the bot never requests any. */
function revokesBot({ tokens }: SlackEvent['event']): boolean {
  const bot = typeof tokens === 'object' && tokens !== null && 'bot' in tokens ? tokens.bot : null;
  return Array.isArray(bot) && bot.length > 0;
}

/** Returns the workspaces named in an event about an organization's installation. */
function teamsIn({ workspace: { enterpriseId }, event: { team_ids: ids } }: SlackEvent): Workspace[] {
  const named = Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : [];
  return named.map((teamId) => ({ enterpriseId, teamId }));
}
