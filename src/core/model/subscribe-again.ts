import { type CommandNames, commandLine } from './commands.ts';
import { formatRequest } from './format-request.ts';
import { isDirect } from './people.ts';
import type { Target } from './subscription.ts';

type SubscribedPlace = {
  readonly channelId: string;
  readonly target: Target;
  readonly comprehensive: boolean;
};

/** Returns the complete command that subscribes the same conversation to the same resource, without filters. */
export function subscribeAgain(
  { channelId, target, comprehensive }: SubscribedPlace,
  names: CommandNames,
): string {
  const personal = isDirect(channelId) || undefined;
  return commandLine(
    formatRequest({ act: 'subscribe', target, comprehensive, filters: {}, personal }),
    names,
  );
}
