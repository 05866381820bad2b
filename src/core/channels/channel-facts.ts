import { forEachRow } from '../../lib/for-each-row.ts';
import { channelDeleted } from '../../messages/subscribing/announcements.ts';
import { keptUntilInvited } from '../../messages/subscribing/answers.ts';
import { cannotPost } from '../../messages/subscribing/refusals.ts';
import { signalLanes } from '../../store/lane-signals.ts';
import * as announcements from '../../store/tables/announcements.ts';
import * as channelMoves from '../../store/tables/channel-moves.ts';
import * as channels from '../../store/tables/channels.ts';
import { endRevoked } from '../../store/tables/departures.ts';
import * as events from '../../store/tables/events.ts';
import * as lanes from '../../store/tables/lanes.ts';
import * as obstacles from '../../store/tables/obstacles.ts';
import * as requests from '../../store/tables/requests.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { endFor, logRemoved } from '../access/audit.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { withMentionsNamed } from '../access/people-names.ts';
import { Refusal } from '../access/refusal.ts';
import { type Bot, inTransaction } from '../bot.ts';
import { refreshHome } from '../home/show-home.ts';
import { typedLine } from '../model/format-request.ts';
import { channelFields } from '../model/log-fields.ts';
import type { Channel, Workspace } from '../model/people.ts';
import type { SubscribeRequest } from '../model/request.ts';
import type { Postable } from '../model/slack-access.ts';
import { informEachOwner, settle } from '../settling/settle.ts';
import { releaseUnwanted } from '../upstream/sync.ts';

/** Why a Slack event closed a channel to the bot: the bot is out of it, or it is archived. */
export type Closing = 'out' | 'archived';

/** The error that Slack would return for a post. */
const errors: Readonly<Record<Closing, string>> = { out: 'not_in_channel', archived: 'is_archived' };

/** Why the bot may be able to post again: an event with its `event_ts`, or a check (`seen`). `perhaps` is a guess, which overrules no event. */
type Opening = { readonly ended: Closing; readonly at: string } | 'seen' | 'perhaps';

/**
 * Stops posting in a channel that is closed to the bot, also in public ones, although `chat:write.public` would let it: people who remove it
 * want silence. `at`: the event's `event_ts`; late and repeated events change nothing.
 */
export function closeChannel(bot: Bot, channel: Channel, closing: Closing, at: string): Promise<void> {
  return settle(bot, channel, async ({ db }) => {
    if (await channels.note(db, channel, { fact: closing, holds: true, at }))
      await lanes.pause(db, channel, errors[closing]);
  });
}

/**
 * Posts again in a channel, unless an event still says that it is closed. The announcement is posted first, followed by one summary of what
 * was missed. If the post fails, nobody sees either, and the next attempt announces it again.
 */
export async function openChannel(bot: Bot, channel: Channel, opening: Opening): Promise<void> {
  await settle(bot, channel, async ({ db, clock }) => {
    if (typeof opening === 'object') {
      const fact = { fact: opening.ended, holds: false, at: opening.at };
      if (!(await channels.note(db, channel, fact))) return;
    }
    if (opening === 'seen') await channels.noteOpen(db, channel);
    if (!(await isClosedByEvent({ db }, channel))) await lanes.reopen(db, channel, clock.now());
  });
  await signalLanes(bot.db, [channel]);
}

/** Returns whether a channel is stored as closed, by an event or because Slack refused a post. */
async function isClosed(bot: Pick<Bot, 'db'>, channel: Channel): Promise<boolean> {
  const [byEvent, lane] = await Promise.all([isClosedByEvent(bot, channel), lanes.find(bot.db, channel)]);
  return byEvent || (lane !== null && lane.pausedReason !== null);
}

async function isClosedByEvent({ db }: Pick<Bot, 'db'>, channel: Channel): Promise<boolean> {
  const { isOut, isArchived } = await channels.of(db, channel);
  return isOut || isArchived;
}

/** Ends the subscriptions of a deleted channel, and removes their remote subscriptions. */
export async function endChannel(bot: Bot, channel: Channel): Promise<void> {
  const ended = await inTransaction(bot, async (bot) => {
    const { db } = bot;
    const ids = (await subscriptions.ofChannel(db, channel)).map(({ id }) => id);
    const rows = await endFor(bot, ids, 'channel deleted');
    await events.dropEnded(db, ids);
    await announcements.withdraw(db, channel);
    await informEachOwner(bot, rows, ({ channelId }, subscribed) => channelDeleted(channelId, subscribed));
    return rows;
  });
  for (const { id } of ended) await releaseUnwanted(bot, id);
}

/** Moves a channel's subscriptions and pending events to its new id. A repeated event changes nothing. */
export async function moveChannel({ db, log }: Bot, channel: Channel, newChannelId: string): Promise<void> {
  if (newChannelId === channel.channelId) return;
  logRemoved(log, await channelMoves.move(db, channel, newChannelId), 'removed');
  await signalLanes(db, [{ ...channel, channelId: newChannelId }]);
}

// Slack sends no event when it lets the bot post again, so the bot polls.

/** Resumes channels in which Slack refused the bot's posts. Slack describes only some restrictions, so the rest is tried. */
export async function resumeRestricted(bot: Bot): Promise<void> {
  await forEachRow(
    await obstacles.channelsClosedFor(bot.db, 'posting restricted'),
    async (channel) => {
      if ((await bot.slack.mayPost(channel)) === 'yes') await openChannel(bot, channel, 'perhaps');
    },
    (error, channel) =>
      bot.log.warn({ err: error, ...channelFields(channel) }, 'could not try again to post in a channel'),
  );
}

/** Resumes the channels of workspaces that had blocked the bot: it was reinstalled, or an admin removed the obstacle. */
export async function resumeWorkspaces(bot: Bot): Promise<void> {
  const channels = await obstacles.channelsClosedFor(bot.db, 'workspace access');
  await forEachRow(
    Map.groupBy(channels, ({ teamId }) => teamId),
    ([team, waiting]) => resumeWorkspace(bot, team, waiting),
    (error, [team]) =>
      bot.log.warn({ err: error, team }, 'could not check whether a workspace lets the bot in again'),
  );
}

/** An organization granted the bot access to workspaces: resumes the channels there that were paused for lack of it. */
export async function accessGranted(bot: Bot, workspaces: readonly Workspace[], at: Date): Promise<void> {
  const teams = workspaces.map(({ teamId }) => teamId);
  await endRevoked(bot.db, teams, at);
  await resumeWorkspaces(bot);
}

async function resumeWorkspace(bot: Bot, team: string, waiting: readonly Channel[]): Promise<void> {
  const [workspace] = waiting;
  if (!workspace || !(await bot.slack.isServed(workspace))) return;
  bot.log.info({ team, channels: waiting.length }, 'a workspace lets the bot in again');
  await forEachRow(
    waiting,
    (channel) => openChannel(bot, channel, 'perhaps'),
    (error, channel) =>
      bot.log.warn({ err: error, ...channelFields(channel) }, 'a channel could not be resumed'),
  );
}

/** A member left a channel, whose changes must not reach them any more. */
export async function memberLeft(bot: Bot, channel: Channel, userId: string): Promise<void> {
  await bot.slack.forgetMember(channel, userId);
  await refreshHome(bot, { ...channel, userId });
}

/** What an invitation ends. */
const absences: ReadonlySet<Postable> = new Set(['not in private channel', 'not in channel']);

/** Throws a `Refusal` if the bot cannot post in the channel of the request: nobody would see the announcement. */
export async function requireReachable({ slack }: Bot, context: CommandContext): Promise<void> {
  const why = await slack.mayPost(channelOf(context));
  if (why !== 'yes' && why !== 'unknown')
    throw new Refusal(context, cannotPost(why, await slack.botNameOf(context.person)));
}

/**
 * Throws a `Refusal` unless the bot can post in the channel of the request. One that is stored as closed although Slack would let the bot post
 * is opened: the last event that arrived may not be the last that happened, and only another try shows whether posts are allowed again.
 * @param keeps what is carried out once the bot is invited, if that is what is missing; null for nothing
 */
export async function requirePostable(
  bot: Bot,
  context: CommandContext,
  keeps: SubscribeRequest | null = null,
): Promise<void> {
  const channel = channelOf(context);
  const why = context.inGroupMessage ? 'direct message' : await bot.slack.mayPost(channel);
  if (why === 'yes') {
    if (await isClosed(bot, channel)) await openChannel(bot, channel, 'seen');
    return;
  }
  const botName = await bot.slack.botNameOf(context.person);
  if (keeps === null || !absences.has(why)) throw new Refusal(context, cannotPost(why, botName));
  const { person, channelId, copy } = context;
  await requests.keep(bot.db, { person, channelId, request: keeps, now: bot.clock.now() });
  const line = context.asTyped ?? typedLine(keeps, copy.commands);
  const named = await withMentionsNamed(bot, person, line);
  throw new Refusal(context, keptUntilInvited(named, botName));
}
