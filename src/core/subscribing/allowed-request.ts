import { folderOnlyQuestion } from '../../messages/subscribing/questions.ts';
import { serviceError } from '../../messages/subscribing/refusals.ts';
import type { Who } from '../../messages/text/copy.ts';
import type { CommandContext } from '../access/command-context.ts';
import { Refusal } from '../access/refusal.ts';
import type { Bot } from '../bot.ts';
import type { Link } from '../model/link.ts';
import { isDirect, type Profile } from '../model/people.ts';
import type { SubscribeRequest } from '../model/request.ts';
import { isRefusal, type ServiceError } from '../model/service-error.ts';
import type { WorkspaceSettings } from '../model/settings.ts';
import { type Delivery, isCarried, subscribedOf, type Target } from '../model/subscription.ts';
import { keepAnswer } from './kept-requests.ts';

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
  readonly link: Link;
  readonly profile: Profile;
  readonly options: SubscribeOptions;
};

/**
 * Returns the answer for a person whose request the service refuses. If it refuses notifications of the whole project, a folder can still be
 * followed without its contents.
 */
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

/** Returns how messages name the person. */
export function whoIs({ context, profile }: { context: CommandContext; profile: Profile }): Who {
  const { person, channelId } = context;
  return { userId: person.userId, name: profile.name, isReader: isDirect(channelId) };
}
