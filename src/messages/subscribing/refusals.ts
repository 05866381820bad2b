import type { Postable } from '../../core/model/slack-access.ts';
import { type Who, whoIs } from '../text/copy.ts';
import { type Message, messageOf, notice } from '../text/message.ts';
import { counted, type Phrase, say, sentence, typed } from '../text/phrase.ts';

type Unpostable = Exclude<Postable, 'yes'>;

/** The bot cannot post in a conversation: says why and what to do. `botName`: the bot's name in Slack, for `/invite`. */
export function cannotPost(why: Unpostable, botName: string): Message {
  return messageOf({ lines: [whyNotPostable(why, botName)] });
}

/** Returns the same as sentences, for where it is not the whole answer. */
export function whyNotPostable(why: Unpostable, botName: string): Phrase {
  const notThere: Phrase = say`I’m not in this channel, so I can’t post. Type ${typed(`/invite @${botName}`)} in it, then try again.`;
  const reasons: Record<Unpostable, Phrase> = {
    'not in private channel': notThere,
    'not in channel': notThere,
    archived: say`This channel is archived. Unarchive it first, or use another channel.`,
    'read-only': say`Only certain people can post in this channel. Ask a channel admin to let me post.`,
    'direct message': say`I can’t post in direct messages between other people. Run your command in a channel, or end it with ${typed('to me')} to get the messages yourself.`,
    'not installed': say`My installation in this workspace no longer works. Ask a workspace admin to reinstall me.`,
    unknown: say`I couldn’t check with Slack whether I can post here. Try again in a minute.`,
  };
  return reasons[why];
}

/** Why a person may not use the bot. `unknown`: Slack does not say who they are. */
const refusals = {
  guest: 'Guests can’t do that. Ask a full member of this workspace.',
  stranger: 'I belong to another organization. Only its members can use me.',
  'not in channel': 'Only people in the channel can do that. Join it first.',
  'perhaps not in channel':
    'Only people in the channel can do that, and I can’t check right now whether you’re in it. Try again from inside the channel.',
  'no direct message':
    'Slack doesn’t let me send you direct messages. Ask a workspace admin to allow them for my app, or use a channel.',
  deactivated: 'This Slack account is deactivated.',
  unknown: 'I couldn’t check with Slack who you are. Try again in a minute.',
} as const;

/** This person may not do that. */
export function refused(why: keyof typeof refusals): Message {
  return notice`${refusals[why]}`;
}

/** The workspace's settings do not allow subscriptions in channels that other organizations can read. */
export const sharedNotAllowed = notice`This channel is shared with another organization, and your admins don’t allow subscriptions in shared channels.`;

/** What was typed after a command is too long to be read. */
export const tooLong = notice`A command can have at most 4,000 characters, so I didn’t read this one.`;

/** The person has reached the rate limit. */
export function tooManyTries(seconds: number): Message {
  return notice`Too many attempts in a short time: try again in ${counted(Math.max(1, Math.ceil(seconds)), 'second')}.`;
}

/** The service refused a request. `forPerson` is a whole sentence. */
export function serviceError(forPerson: string): Message {
  return messageOf({ lines: [[sentence(forPerson)]], small: [say`Nothing changed.`] });
}

const pingReasons = {
  group:
    'User groups can’t be mentioned in a channel that’s shared with another organization. Choose someone in this workspace.',
  stranger:
    'In a channel that’s shared with another organization, only people in this workspace can be mentioned.',
  bot: 'Apps can’t be mentioned. Choose a person or a user group.',
  unknown: 'I couldn’t find that person in Slack. Try again in a minute, or choose someone else.',
} as const;

/** Why messages of a channel may not mention what was chosen. */
export type Unpingable = keyof typeof pingReasons;

/** Returns, in sentences, why someone or a group may not be mentioned. */
export const whyNotPinged = (why: Unpingable): Phrase => [pingReasons[why]];

/** Refuses a request to mention someone or a group. */
export const cannotPing = (why: Unpingable): Message => messageOf({ lines: [whyNotPinged(why)] });

/** The mention will reach nobody: the person does not read the channel. `personal`: it is the reader's direct message with the bot. */
export function pingedIsAway(who: Who, personal: boolean): Message {
  return personal
    ? notice`${whoIs(who)} can’t see your direct messages with me, so my mentions won’t reach them.`
    : notice`${whoIs(who)} isn’t in this channel, so my mentions won’t reach them. Invite them first.`;
}
