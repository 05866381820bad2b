import { dayMs, earlier } from '../../lib/durations.ts';
import { type MayNot, mayNot, onlyAdmins } from '../../messages/admin/requests.ts';
import { cannotPost, refused } from '../../messages/subscribing/refusals.ts';
import * as requests from '../../store/tables/requests.ts';
import * as settings from '../../store/tables/settings.ts';
import type { Bot } from '../bot.ts';
import { isDirect } from '../model/people.ts';
import type { Request } from '../model/request.ts';
import type { Subscribers, WorkspaceSettings } from '../model/settings.ts';
import type { CommandContext } from './command-context.ts';
import { keepRequest } from './kept-requests.ts';
import { Refusal } from './refusal.ts';

const everyone: Subscribers = { kind: 'everyone' };

/** How long an admin's approval lasts, even if the person has to link first. */
const allowedForMs = dayMs;

// Guests and people outside the workspace were rejected earlier.

/**
 * Throws a `Refusal` unless the person is in the channel, and so may see its subscriptions. Slack lets people type only in channels they
 * are in, so a person who typed there is trusted even if Slack does not say who is in it. Of any other request, Slack has to confirm it.
 */
export async function requireMaySee({ slack }: Bot, context: CommandContext): Promise<void> {
  const isIn = await slack.isInChannel(context.person, context.channelId);
  if (isIn === 'yes' || (isIn === 'unknown' && context.madeInChannel)) return;
  // They are in it, but the bot is not, and cannot be invited.
  if (isDirect(context.channelId)) {
    throw new Refusal(context, cannotPost('direct message', ''));
  }
  throw new Refusal(context, refused(isIn === 'no' ? 'not in channel' : 'perhaps not in channel'));
}

/**
 * Throws a `Refusal` that says who can allow it, unless a person is in the channel and the admins let them change its subscriptions. `request`:
 * what they ask for; null for what cannot be typed. Returns the workspace's settings, so that a request reads them once.
 */
export async function requireMayChange(
  bot: Bot,
  context: CommandContext,
  request: Request | null,
): Promise<WorkspaceSettings> {
  await requireMaySee(bot, context);
  const { why, isAdmin, settings } = await whyMayNotChange(bot, context, request);
  if (why === null) return settings;
  const asks = isAdmin || !request ? undefined : await keepRequest(bot, { act: 'ask-admin', request });
  throw new Refusal(context, mayNot(why, isAdmin, asks));
}

/** Returns why the workspace's settings do not let a person change the channel's subscriptions; `why` is null if they do. */
export async function whyMayNotChange(
  bot: Bot,
  context: CommandContext,
  request: Request | null,
): Promise<Omit<Obstacle, 'why'> & { readonly why: MayNot | null; readonly settings: WorkspaceSettings }> {
  const stored = await settings.of(bot.db, context.person);
  // Subscribing for oneself needs no right in any channel.
  const subscribers = isDirect(context.channelId) ? everyone : stored.subscribers;
  const found = await obstacle(bot, context, request, { ...stored, subscribers });
  const since = earlier(bot.clock.now(), allowedForMs);
  const isAllowed = found && request && (await requests.isAllowed(bot.db, { ...context, request }, since));
  return { why: null, isAdmin: false, ...(isAllowed ? null : found), settings: stored };
}

/** Throws a `Refusal` unless the person is an admin of their workspace. */
export async function requireAdmin({ slack }: Bot, context: CommandContext): Promise<void> {
  if (!(await slack.isAdmin(context.person))) throw new Refusal(context, onlyAdmins);
}

type Obstacle = { readonly why: MayNot; readonly isAdmin: boolean };

async function obstacle(
  { slack }: Bot,
  { person }: CommandContext,
  request: Request | null,
  { subscribers, projects }: WorkspaceSettings,
): Promise<Obstacle | null> {
  const isLimited = projects.length > 0 && request?.act === 'subscribe';
  if (subscribers.kind === 'everyone' && !isLimited) return null;
  const isAdmin = await slack.isAdmin(person);
  const isSubscriber =
    isAdmin ||
    subscribers.kind === 'everyone' ||
    (subscribers.kind === 'people' && subscribers.userIds.includes(person.userId));
  if (!isSubscriber) return { why: { kind: 'person', subscribers: subscribers.kind }, isAdmin };
  const projectId = isLimited && 'projectId' in request.target ? request.target.projectId : null;
  if (projectId === null || projects.includes(projectId)) return null;
  return { why: { kind: 'project', projectId }, isAdmin };
}
