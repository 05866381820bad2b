import type { Subscribed } from '../../core/model/subscribed-of.ts';
import { type Copy, describeTarget, listTargets } from '../text/copy.ts';
import { type Message, messageOf, notice } from '../text/message.ts';
import { channel, counted, type Phrase, say } from '../text/phrase.ts';
import { yourSubscriptions } from './answers.ts';
import { removeButton } from './row-buttons.ts';

/** Why an item is no longer followed in a direct message. */
export type FollowEnd = 'source ended' | 'left channel' | 'not a member';

/** In the direct message: the person now follows an item of a channel there. */
export function followMade(made: {
  readonly id: string;
  readonly subscribed: Subscribed;
  readonly channelId: string;
}): Message {
  return messageOf({
    lines: [say`You now follow ${describeTarget(made.subscribed)} here.`],
    small: [
      say`This works as long as ${channel(made.channelId)} keeps its subscription and you’re in the channel.`,
    ],
    buttons: [removeButton({ ...made, followedFrom: made.channelId })],
  });
}

/** In the direct message: following ended, because its source ended or the person no longer qualifies. */
export function followEnded(subscribed: Subscribed, channelId: string, why: FollowEnd): Message {
  const because: Readonly<Record<FollowEnd, Phrase>> = {
    'source ended': say`the subscription in ${channel(channelId)} ended`,
    'left channel': say`you’re no longer in ${channel(channelId)}`,
    'not a member': say`only full members of this workspace can do that`,
  };
  return notice`You no longer follow ${describeTarget(subscribed)} here: ${because[why]}.`;
}

/** In the direct message: the person stopped following items. */
export function followStopped(subscribed: readonly Subscribed[]): Message {
  const [first, ...others] = subscribed;
  return messageOf({
    lines:
      first !== undefined && others.length === 0
        ? [say`You no longer follow ${describeTarget(first)} here.`]
        : [say`You no longer follow ${counted(subscribed.length, 'item')} here:`, ...listTargets(subscribed)],
    small: [
      say`To follow ${others.length === 0 ? 'it' : 'one'} again, use the menu of a message about it in the channel.`,
    ],
  });
}

/** Answers the press in the channel, to that person alone. `why` is null if the item is followed now. */
export function followAnswer(why: 'unknown item' | 'no direct message' | 'followed already' | null): Message {
  const words = {
    'unknown item': 'The service didn’t say which item this is, so you can’t follow it on its own.',
    'no direct message': 'Slack didn’t let me send you a message. Try again in a minute.',
    'followed already': 'You already follow it in your direct messages with me.',
  } as const;
  return notice`${why === null ? 'You’ll also get its changes in your direct messages with me.' : words[why]}`;
}

/** Answers the press of a person who follows as many items as possible. */
export function tooMuchFollowed(copy: Copy): Message {
  return messageOf({
    lines: [say`You follow 100 items in your direct messages with me. Stop following one of them first.`],
    small: [yourSubscriptions(copy)],
  });
}
