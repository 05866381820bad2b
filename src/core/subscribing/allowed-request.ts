import { folderOnlyQuestion, projectInsteadQuestion } from '../../messages/subscribing/questions.ts';
import { pingedIsAway, serviceError, type Unpingable } from '../../messages/subscribing/refusals.ts';
import type { Who } from '../../messages/text/copy.ts';
import * as channels from '../../store/tables/channels.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { keepAnswer, keepRequest } from '../access/kept-requests.ts';
import { Refusal } from '../access/refusal.ts';
import type { Bot } from '../bot.ts';
import { isDirect, isOfWorkspace, type Profile } from '../model/people.ts';
import type { SubscribeRequest } from '../model/request.ts';
import { isRefusal, type ServiceError } from '../model/service-error.ts';
import type { WorkspaceSettings } from '../model/settings.ts';
import { type Delivery, isCarried, type Ping, subscribedOf, type Target } from '../model/subscription.ts';
import { projectInstead } from '../model/typed-settings.ts';

export type SubscribeOptions = {
  /** The person was asked, and wants it although people of other organizations are in the channel. */
  readonly shared?: boolean | undefined;
  /** The person was asked, and wants to own the channel's subscription with another scope. */
  readonly agreed?: boolean | undefined;
  /** It was kept until the bot was invited, and is not kept again. */
  readonly wasKept?: boolean | undefined;
  /** Leaves a subscription that a person paused as it is, because only its settings change. */
  readonly staysPaused?: boolean | undefined;
  /** The workspace's settings, if they were read for this request. */
  readonly settings?: WorkspaceSettings | undefined;
  /** The person reads no more than the announcement, because many are made at once. */
  readonly quiet?: boolean | undefined;
  /** The typed name to restore; null if there was none. */
  readonly typedName?: string | null | undefined;
  /** When a removed subscription that is restored last posted something. */
  readonly lastEventAt?: Date | null | undefined;
  /** The delivery with its time zone, if that may not be the zone of the person. */
  readonly delivery?: Delivery | undefined;
};

/** A request whose target kind is known. */
export type TargetedRequest = SubscribeRequest & { readonly target: Target };

/** A request that the person is allowed to make, with everything known about them. */
export type AllowedRequest = {
  readonly context: CommandContext;
  readonly request: TargetedRequest;
  readonly profile: Profile;
  /** How messages name the person. */
  readonly by: Who;
  readonly options: SubscribeOptions;
};

/** Returns the answer if the service refuses a request. If it refuses the whole project, a folder can still be followed without its contents. */
export async function serviceRefusal(
  bot: Bot,
  { context, request }: AllowedRequest,
  { kind, forPerson }: ServiceError,
): Promise<Refusal> {
  const isFolder = isCarried(request) && request.target.kind === 'folder';
  if (!isRefusal(kind) || !isFolder) return new Refusal(context, serviceError(forPerson));
  const only = { ...request, comprehensive: false };
  const wanted = subscribedOf({ ...only, resourceName: request.name ?? null });
  // The question about a shared channel has been answered by now.
  return new Refusal(context, folderOnlyQuestion(wanted, await keepAnswer(bot, only, { shared: true })));
}

/** The most folders and files of one project that a person follows in a channel: each gets the notifications of the whole project. */
const mostItems = 20;

/** Throws a `Refusal`, which offers the project instead, if the owner to be follows too many other folders and files of it there. */
export async function requireFewItems(bot: Bot, context: CommandContext, row: Subscription): Promise<void> {
  const { target } = row;
  if (!('itemId' in target)) return;
  const { projectId } = target;
  const items = (await subscriptions.ofChannel(bot.db, row)).filter(
    (each) =>
      (each.id === row.id || each.ownerUserId === context.person.userId) &&
      'itemId' in each.target &&
      each.target.projectId === projectId,
  );
  if (items.length <= mostItems) return;
  const names = items.flatMap(({ resourceName }) => resourceName ?? []);
  const personal = isDirect(row.channelId);
  const instead = projectInstead(projectId, names, personal);
  throw new Refusal(
    context,
    projectInsteadQuestion({
      most: mostItems,
      project: subscribedOf({ ...row, resourceName: null }),
      value: await keepAnswer(bot, instead, { shared: true }),
      form: await keepRequest(bot, { act: 'fill-form', request: instead }),
      personal,
    }),
  );
}

/** Returns why messages of the channel may not mention this person or group (CONTRACT, Mentions); null if they may. */
export async function whyNotPingable(
  bot: Bot,
  context: CommandContext,
  ping: Ping | null | undefined,
): Promise<Unpingable | null> {
  if (!ping) return null;
  const isShared = await isSharedNow(bot, context);
  if (ping.kind === 'group') return isShared ? 'group' : null;
  const profile = await bot.slack.profileOf({ ...context.person, userId: ping.id }).catch(() => null);
  if (profile === null) return 'unknown';
  if (profile.standing === 'bot') return 'bot';
  return isShared && !isOfWorkspace(profile.standing) ? 'stranger' : null;
}

/** Says so if the person is not in the channel: Slack then notifies nobody. */
export async function notePinged(
  { slack }: Bot,
  { context, options }: Pick<AllowedRequest, 'context' | 'options'>,
  ping: Ping | null,
): Promise<void> {
  if (ping?.kind !== 'user' || options.quiet) return;
  const { person, channelId } = context;
  const pinged = { ...person, userId: ping.id };
  if ((await slack.isInChannel(pinged, channelId)) !== 'no') return;
  const { name } = await slack.profileOf(pinged);
  await context.reply(pingedIsAway({ userId: ping.id, name }, isDirect(channelId)));
}

async function isSharedNow({ db, slack }: Bot, context: CommandContext): Promise<boolean> {
  const channel = channelOf(context);
  if (isDirect(channel.channelId)) return false;
  return slack.isShared(channel).catch(async () => (await channels.of(db, channel)).isShared);
}
