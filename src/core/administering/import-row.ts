import type { Message } from '../../messages/text/message.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { PlaceOf } from '../access/personal.ts';
import type { SubscribeRequest } from '../model/request.ts';
import { type FileRow, ownDirectMessage } from '../model/subscription-file.ts';
import type { Subscribe } from '../subscribing/subscribe.ts';
import { deliveryOf } from './plan-import.ts';

export type ImportRowDeps = {
  readonly placeOf: PlaceOf;
  readonly subscribe: Subscribe;
};

/** A row whose request says all of the subscription. */
export type CompleteRow = Pick<FileRow, 'channelId' | 'zone'> & {
  readonly request: FileRow['request'] & SubscribeRequest;
};

/**
 * Subscribes one channel as a file says it, as whoever asks. `may` is asked in the row's own channel first. Comes back with what they
 * would have been answered there; null where it was announced in the channel.
 */
export type ImportRow = (
  context: CommandContext,
  row: CompleteRow,
  may: (context: CommandContext, request: SubscribeRequest) => Promise<boolean>,
) => Promise<Message | null>;

export function makeImportRow({ placeOf, subscribe }: ImportRowDeps): ImportRow {
  return async (context, { channelId, request: found, zone }, may) => {
    const isPersonal = channelId === ownDirectMessage;
    const request = { ...found, personal: isPersonal || undefined };
    const there = isPersonal ? await placeOf(context, request) : context.about(channelId);
    let answer: Message | null = null;
    const quiet: CommandContext = {
      ...there,
      elsewhere: true,
      reply: async (message) => {
        answer = message;
      },
    };
    if (await may(quiet, request)) {
      // A file is not asked questions: what it says is wanted as it is.
      await subscribe(quiet, request, {
        anyway: true,
        shared: true,
        delivery: deliveryOf({ request: found, zone }),
      });
    }
    return answer;
  };
}
