import { isDirect } from '../../core/model/people.ts';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import { type Copy, describeTarget } from '../text/copy.ts';
import { type Message, messageOf, notice, requestButton } from '../text/message.ts';
import { channel, counted, type Phrase, plainly, say, strong } from '../text/phrase.ts';

/** Asks before unlinking, and lists what pauses. */
export function unlinkQuestion(
  account: string | null,
  stops: readonly { readonly subscribed: Subscribed; readonly channelId: string }[],
  copy: Copy,
): Message {
  // Nobody else can take over a person's own.
  const until = stops.some(({ channelId }) => !isDirect(channelId)) ? ' until someone takes over' : '';
  return messageOf({
    lines: [
      say`Unlink your account${accountNamed(account)} at ${plainly(copy.serviceName)}?`,
      [
        stops.length === 0
          ? 'No subscription uses it.'
          : `${counted(stops.length, 'subscription')} will pause${until}:`,
      ],
      ...stops.map(
        ({ subscribed, channelId }): Phrase => say`• ${describeTarget(subscribed)}, in ${channel(channelId)}`,
      ),
    ],
    buttons: [
      requestButton('Unlink', { act: 'unlink-now' }, { style: 'danger' }),
      requestButton('Keep the link', { act: 'dismiss' }),
    ],
  });
}

/** Confirms an unlink. `paused`: how many subscriptions used it. */
export function unlinked(paused: number, copy: Copy): Message {
  const service = plainly(copy.serviceName);
  const now =
    paused === 0 ? [] : say` ${counted(paused, 'subscription')} ${paused === 1 ? 'is' : 'are'} paused.`;
  return messageOf({
    lines: [say`You’re no longer linked to ${service}. I deleted your access token.${now}`],
    small: [say`To revoke access there too, remove this app in your account at ${service}.`],
  });
}

/** Answers `unlink` from a person who is not linked. */
export function nothingToUnlink(copy: Copy): Message {
  return notice`You’re not linked to ${plainly(copy.serviceName)}.`;
}

/** Makes the button that asks whether to unlink. */
export const unlinkButton = requestButton(
  'Unlink',
  { act: 'unlink' },
  {
    spokenAfter: say` your account; asks first`,
  },
);

/** Returns " dana@example.com", to follow "your account"; nothing if its name is unknown. */
function accountNamed(account: string | null): Phrase {
  return account === null || account.trim() === '' ? [] : say` ${strong(account)}`;
}
