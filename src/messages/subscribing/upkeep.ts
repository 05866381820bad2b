import type { Subscribed } from '../../core/model/subscribed-of.ts';
import { describeTarget } from '../text/copy.ts';
import { type Message, messageOf } from '../text/message.ts';
import { channel, sentence } from '../text/phrase.ts';

/** The service could not make a subscription just now; it is tried again by itself, so that nobody is asked to. */
export function beingSetUp({ subscribed }: { readonly subscribed: Subscribed }): Message {
  return messageOf({
    lines: [
      ['The service cannot take that just now.'],
      [
        'I keep trying for ten minutes to subscribe this channel to ',
        ...describeTarget(subscribed),
        ', and tell you how it went. There is nothing you need to do.',
      ],
    ],
  });
}

/** Somebody changes a subscription at the moment in which it is made anew at the service. */
export function beingReplaced({ subscribed }: { readonly subscribed: Subscribed }): Message {
  return messageOf({
    lines: [
      [
        'The subscription to ',
        ...describeTarget(subscribed),
        ' is just being set up anew. Please try again in a minute.',
      ],
    ],
  });
}

/** The tries to make a subscription are over; told outside of its channel. `forPerson` is a whole sentence. */
export function notSetUp(late: {
  readonly subscribed: Subscribed;
  readonly channelId: string;
  readonly forPerson: string;
}): Message {
  return messageOf({
    lines: [
      [
        'I could not subscribe ',
        channel(late.channelId),
        ' to ',
        ...describeTarget(late.subscribed),
        ', and have given up.',
      ],
      [sentence(late.forPerson)],
    ],
  });
}

/** The account that was linked stays, because the person said so. */
export function accountKept(): Message {
  return messageOf({ lines: [['The account you were linked to stays. The other one was not linked.']] });
}
