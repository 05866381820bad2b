import { folderOnlyQuestion } from '../../messages/subscribing/questions.ts';
import { serviceError } from '../../messages/subscribing/refusals.ts';
import type { Who } from '../../messages/text/copy.ts';
import type { CommandContext } from '../access/command-context.ts';
import { Refusal } from '../access/refusal.ts';
import { commandLine } from '../model/commands.ts';
import { followsContents } from '../model/filters.ts';
import { formatRequest } from '../model/format-request.ts';
import type { Link } from '../model/link.ts';
import { isDirect, type Profile } from '../model/people.ts';
import type { SubscribeRequest } from '../model/request.ts';
import type { ServiceError } from '../model/service-error.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import type { Delivery, Target } from '../model/subscription.ts';
import type { KeptRequests } from './kept-requests.ts';

export type SubscribeOptions = {
  /** The person has been asked, and wants it although a wider subscription covers it. */
  readonly anyway?: boolean | undefined;
  /** The person has been asked, and wants it although people of other organizations are in the channel. */
  readonly shared?: boolean | undefined;
  /** Leaves one that a person paused as it is, since only its settings are to be changed. */
  readonly staysPaused?: boolean | undefined;
  /** As it was before: times then stay those of the clock they were on. */
  readonly delivery?: Delivery | undefined;
};

/** A request whose target is known for certain. */
export type Certain = SubscribeRequest & { readonly target: Target };

/** A request that may be carried out, and all that is known of who asks. */
export type Given = {
  readonly context: CommandContext;
  readonly request: Certain;
  /** Null where a followed item is changed. */
  readonly link: Link | null;
  readonly profile: Profile;
  readonly options: SubscribeOptions;
};

/** What the person is answered if the service refuses what they want. */
export type ServiceRefusal = (given: Given, failure: ServiceError) => Promise<Refusal>;

/** Without the project's own notifications a folder can still be followed without its contents. */
export function makeServiceRefusal(deps: { readonly keepRequest: KeptRequests['keep'] }): ServiceRefusal {
  return async ({ context, request }, { kind, forPerson }) => {
    const isRefused = kind === 'forbidden' || kind === 'not-found';
    if (!isRefused || !followsContents(request)) return new Refusal(context, serviceError({ forPerson }));
    const only = { ...request, comprehensive: false };
    const wanted = subscribedOf({ ...only, resourceName: request.name ?? null });
    return new Refusal(context, folderOnlyQuestion({ wanted, value: await deps.keepRequest(only) }));
  };
}

/** The whole command that removes the subscription. */
export function toStop({ names, channelId }: CommandContext, target: Target): string {
  const personal = isDirect(channelId) || undefined;
  return commandLine(formatRequest({ act: 'unsubscribe', target, personal }), names);
}

/** The person as messages name them. */
export function whoIs({ context, profile }: { context: CommandContext; profile: Profile }): Who {
  const { person, channelId } = context;
  return { userId: person.userId, name: profile.name, isReader: isDirect(channelId) };
}
