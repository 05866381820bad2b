import { type Message, messageOf } from './message.ts';
import { sentence } from './phrase.ts';
import { describeTarget, type Subscribed } from './words.ts';

/** The service could not make a subscription just now; it is tried again by itself. `forPerson` is a whole sentence. */
export function beingSetUp(late: { readonly subscribed: Subscribed; readonly forPerson: string }): Message {
  return messageOf({
    lines: [
      [sentence(late.forPerson)],
      [
        'I keep trying for ten minutes to subscribe this channel to ',
        ...describeTarget(late.subscribed),
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

/** The tries to make a subscription are over. */
export function notSetUp(late: { readonly subscribed: Subscribed; readonly forPerson: string }): Message {
  return messageOf({
    lines: [
      ['I could not subscribe the channel to ', ...describeTarget(late.subscribed), ', and have given up.'],
      [sentence(late.forPerson)],
    ],
  });
}

/** The account that was linked stays, because the person said so. */
export function accountKept(): Message {
  return messageOf({ lines: [['The account you were linked to stays. The other one was not linked.']] });
}
