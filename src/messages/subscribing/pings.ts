import { type Who, whoIs } from '../text/copy.ts';
import { type Message, messageOf, notice } from '../text/message.ts';
import { say } from '../text/phrase.ts';

const reasons = {
  group:
    'User groups can’t be mentioned in a channel that’s shared with another organization. Choose a person of this workspace.',
  stranger:
    'In a channel that’s shared with another organization, only people of this workspace can be mentioned.',
  bot: 'Apps can’t be mentioned. Choose a person or a user group.',
  unknown: 'I couldn’t find that person in Slack. Try again in a minute, or choose someone else.',
} as const;

/** Messages of the channel may not mention what was chosen. */
export function cannotPing(why: keyof typeof reasons): Message {
  return messageOf({ lines: [say`${reasons[why]}`] });
}

/** The mention will reach nobody: the person does not read the channel. `personal`: it is the reader's direct message with the bot. */
export function pingedIsAway(who: Who, personal: boolean): Message {
  return personal
    ? notice`${whoIs(who)} can’t see your direct messages with me, so my mentions won’t reach them.`
    : notice`${whoIs(who)} isn’t in this channel, so my mentions won’t reach them. Invite them first.`;
}
