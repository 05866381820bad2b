import { dayMs, earlier } from '../../lib/durations.ts';
import { type MayNot, mayNot, onlyAdmins } from '../../messages/admin/requests.ts';
import { cannotPost, refused } from '../../messages/subscribing/refusals.ts';
import type { Message } from '../../messages/text/message.ts';
import { isDirect } from '../model/people.ts';
import type { Request } from '../model/request.ts';
import type { Subscribers, WorkspaceSettings } from '../model/settings.ts';
import type { AccessRoomDeps } from './access-deps.ts';
import type { CommandContext } from './command-context.ts';
import { Refusal } from './refusal.ts';

/** Throws a `Refusal` unless a person is allowed to see a channel's subscriptions. */
export type RequireMaySee = (context: CommandContext) => Promise<void>;

/**
 * Throws a `Refusal` that says who can allow it, unless a person is allowed to change a channel's subscriptions. `request` is what they
 * ask for; null for what cannot be typed as a command. Returns the workspace's settings, so that a request reads them once.
 */
export type RequireMayChange = (
  context: CommandContext,
  request: Request | null,
) => Promise<WorkspaceSettings>;

/** Throws a `Refusal` unless the person is an admin of their workspace. */
export type RequireAdmin = (context: CommandContext) => Promise<void>;

const everyone: Subscribers = { kind: 'everyone' };

/** How long an admin's approval lasts, even if the person has to link first. */
const allowedForMs = dayMs;

/** Decides who may do what with a channel's subscriptions. Guests and people outside the workspace were rejected earlier. */
export function makeWhoMay(deps: AccessRoomDeps) {
  const { clock } = deps;

  /**
   * Lets members of the channel see its subscriptions. Slack lets people type only in channels they are in, so a person who typed there
   * is trusted even if Slack does not say who is in it. A person who asked from elsewhere is not.
   */
  const requireMaySee: RequireMaySee = async (context) => {
    const isIn = await deps.isInChannel(context.person, context.channelId);
    if (isIn === 'yes' || (isIn === 'unknown' && !context.elsewhere)) return;
    // They are in it, but the bot is not, and cannot be invited.
    if (isDirect(context.channelId)) {
      throw new Refusal(context, cannotPost({ why: 'direct message', botName: '' }));
    }
    throw new Refusal(context, refused(isIn === 'no' ? 'not in channel' : 'perhaps not in channel'));
  };

  /** Lets members of the channel change its subscriptions, as far as the workspace's admins allow. */
  const requireMayChange: RequireMayChange = async (context, request) => {
    await requireMaySee(context);
    const settings = await deps.settings.of(context.person);
    // Subscribing for oneself needs no right in any channel.
    const subscribers = isDirect(context.channelId) ? everyone : settings.subscribers;
    const why = await obstacle(context, request, { ...settings, subscribers });
    if (why === null || (request !== null && (await isAllowed(context, request)))) return settings;
    throw new Refusal(context, await explanation(context, { ...why, request }));
  };

  const requireAdmin: RequireAdmin = async (context) => {
    if (!(await deps.isAdmin(context.person))) throw new Refusal(context, onlyAdmins);
  };

  type Obstacle = { readonly why: MayNot; readonly isAdmin: boolean };

  async function obstacle(
    { person }: CommandContext,
    request: Request | null,
    { subscribers, projects }: WorkspaceSettings,
  ): Promise<Obstacle | null> {
    const isLimited = projects.length > 0 && request?.act === 'subscribe';
    if (subscribers.kind === 'everyone' && !isLimited) return null;
    const isAdmin = await deps.isAdmin(person);
    const isSubscriber =
      isAdmin ||
      subscribers.kind === 'everyone' ||
      (subscribers.kind === 'people' && subscribers.userIds.includes(person.userId));
    if (!isSubscriber) return { why: { kind: 'person', subscribers: subscribers.kind }, isAdmin };
    const projectId = isLimited && 'projectId' in request.target ? request.target.projectId : null;
    if (projectId === null || projects.includes(projectId)) return null;
    return { why: { kind: 'project', projectId }, isAdmin };
  }

  function isAllowed({ person, channelId }: CommandContext, request: Request): Promise<boolean> {
    const since = earlier(clock.now(), allowedForMs);
    return deps.requests.isAllowed({ person, channelId, request }, since);
  }

  async function explanation(
    context: CommandContext,
    { why, isAdmin, request }: Obstacle & { readonly request: Request | null },
  ): Promise<Message> {
    const { copy } = context;
    if (isAdmin) return mayNot({ why, copy, admins: null });
    const admins = await deps.adminsOf(context.person);
    if (request === null || admins.length === 0) return mayNot({ why, copy, admins });
    const { person, channelId } = context;
    const askValue = await deps.requests.offer({ person, channelId, request, now: clock.now() });
    return mayNot({ why, copy, admins, askValue });
  }

  return { requireMaySee, requireMayChange, requireAdmin };
}
