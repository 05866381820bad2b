import { isDirect } from '../../core/model/people.ts';
import { type Copy, type Who, whoIs } from '../text/copy.ts';
import { button, type Message, messageOf, notice, requestButton } from '../text/message.ts';
import { channel, counted, type Phrase, person, plainly, say, typed } from '../text/phrase.ts';

/** What the workspace's settings do not allow. */
export type MayNot =
  | { readonly kind: 'person'; readonly subscribers: 'everyone' | 'admins' | 'people' }
  | { readonly kind: 'project'; readonly projectId: string };

/** Refuses what the workspace's settings do not allow, and says who can allow it. `askValue` adds a button that asks all admins. */
export function mayNot(why: MayNot, isAdmin: boolean, askValue?: string): Message {
  // The list of projects applies to admins too, who can only make an exception.
  const can = why.kind === 'project' ? 'can allow it' : 'can do it or allow it';
  return messageOf({
    lines: [reasonFor(why), !isAdmin && say`An admin of this workspace ${can}.`],
    buttons: [
      askValue !== undefined &&
        button('ask-admin', 'Ask an admin', { value: askValue, spokenAfter: say` to allow this once` }),
      requestButton(isAdmin ? 'Change settings' : 'Show settings', { act: 'settings' }),
    ],
  });
}

/** Says why the settings do not allow it. */
export function reasonFor(why: MayNot): Phrase {
  if (why.kind === 'project') {
    return say`Project ${plainly(why.projectId)} isn’t on the list of projects this workspace can subscribe to.`;
  }
  const who = why.subscribers === 'people' ? 'certain people' : 'admins';
  return say`Only ${who} can change what I post in this workspace.`;
}

/** The admins were asked. */
export function adminsAsked(count: number): Message {
  return notice`I asked ${counted(count, 'admin')}. I’ll send you their answer.`;
}

const notAsked = {
  'asked already': 'I’ve already asked the admins. I’ll send you their answer.',
  'too many': 'Several of your requests are still waiting. Wait for an answer to one of them first.',
  'nobody there': 'I couldn’t reach an admin of this workspace. Ask one yourself, or try again later.',
} as const;

/** Says why the admins were not asked. */
export function adminsNotAsked(why: keyof typeof notAsked): Message {
  return notice`${notAsked[why]}`;
}

/** Asks an admin, by direct message, to allow a command once. `line` is the full command; `value` is the value of both buttons. */
export function requestToAdmin(context: {
  readonly by: Who;
  readonly channelId: string;
  /** Whether people from other organizations are, or may be, in the channel. */
  readonly isShared: boolean;
  readonly line: string;
  readonly value: string;
  readonly copy: Copy;
}): Message {
  const { by, channelId, isShared, line, value, copy } = context;
  return messageOf({
    lines: [
      say`${whoIs(by)} wants to do this in ${isDirect(channelId) ? 'their direct message with me' : channel(channelId)}:`,
      [typed(line)],
      say`Allowing runs only this command, with their account at ${plainly(copy.serviceName)}.`,
      isShared && say`People from other organizations may be in that channel. They would see what I post.`,
    ],
    buttons: [
      requestButton('Allow', { act: 'allow', id: value }, { style: 'primary' }),
      requestButton('Decline', { act: 'decline', id: value }),
      requestButton('Change who needs permission', { act: 'settings' }),
    ],
  });
}

/** Replaces the question to an admin with the answer, their own or another admin's. */
export function requestAnswered(answered: {
  readonly as: 'allowed' | 'declined';
  /** Null for the reader's own answer. */
  readonly by: Who | null;
  readonly asker: Who;
  readonly line: string;
}): Message {
  const { as, by, asker, line } = answered;
  const who: Phrase = by === null ? say`You ` : say`${whoIs(by)} already `;
  return notice`${who}${as} ${person(asker.name)}’s request: ${typed(line)}`;
}

/** The request was not answered in time, or is unknown. */
export const requestTooOld = notice`This request has expired. The person who asked can ask again.`;

/** Only admins may do that. */
export const onlyAdmins = notice`Only admins of this workspace can do that.`;

/** Sends a person an admin's answer to their request. */
export function requestOutcome(outcome: {
  readonly as: 'allowed' | 'declined';
  readonly by: Who;
  readonly channelId: string;
  readonly line: string;
}): Message {
  const { as, by, channelId, line } = outcome;
  const where = isDirect(channelId) ? 'your direct message with me' : channel(channelId);
  return messageOf({
    lines: [
      say`${whoIs(by)} ${as} this in ${where}: ${typed(line)}`,
      as === 'allowed' && say`I’m running it now. For the next day, you can repeat it without asking.`,
    ],
  });
}
