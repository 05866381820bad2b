import { isDirect } from '../../core/model/people.ts';
import type { QuietHours } from '../../core/model/quiet-hours.ts';
import type { Delivery, Subscribed } from '../../core/model/subscription.ts';
import { undoMinutes } from '../../core/model/undo.ts';
import {
  type Copy,
  conversation,
  describeDelivery,
  describeQuiet,
  describeSettings,
  describeTarget,
  type SubscriptionSettings,
} from '../text/copy.ts';
import { limits } from '../text/limits.ts';
import {
  button,
  context,
  isPressed,
  type Message,
  messageOf,
  notice,
  requestButton,
} from '../text/message.ts';
import {
  channel,
  counted,
  inText,
  type Phrase,
  plainly,
  say,
  sentence,
  time,
  typed,
} from '../text/phrase.ts';
import { type NamedRow, rowButton } from './row-buttons.ts';

/** What a button asks for is so already: another member was quicker, or the channel is no longer shared. */
export const alreadySo = notice`There’s nothing to change. Another member may have been quicker.`;

/** The quiet hours asked for are set already, or there are none to turn off. `personal`: in the reader's direct messages. */
export function quietSame(hours: QuietHours | null, personal: boolean): Message {
  const here = conversation(personal);
  return hours === null
    ? notice`There are no quiet hours in ${here}.`
    : notice`Quiet hours in ${here} are already ${describeQuiet(hours)}.`;
}

/** There is no such subscription to remove. `wanted`: in the words of the command; `personal`: it was looked for among the reader's own. */
export function nothingToRemove(wanted: string, personal: boolean): Message {
  return messageOf({
    lines: [
      personal
        ? say`You have no subscription to ${typed(wanted)} of your own.`
        : say`There’s no subscription to ${typed(wanted)} here.`,
    ],
    buttons: [requestButton('Show subscriptions', { act: 'list', ...(personal ? { personal } : {}) })],
  });
}

/** This bot is not the one that serves: nothing is done. */
export const standingBy: Message = notice`I’m not working yet: your Plancast admin still has to run ${typed('npm run take-over')}.`;

/** The subscription already exists, and the request changes nothing: says how it is set. `personal`: the reader's own. */
export function alreadySubscribed(
  row: NamedRow & { readonly settings: SubscriptionSettings; readonly personal: boolean },
): Message {
  const who = row.personal ? 'You already follow' : 'This channel already follows';
  return messageOf({
    lines: [say`${who} ${describeTarget(row.subscribed)}.`],
    small: [say`${describeSettings(row.settings)}.`],
    buttons: [rowButton('edit', row)],
  });
}

/** The channel is subscribed, although a wider subscription, `covering`, posts the same. `delivery`: when that posts. */
export function postedAlready(
  row: NamedRow & { readonly covering: Subscribed; readonly delivery: Delivery },
): Message {
  const { covering, delivery } = row;
  return messageOf({
    lines: [
      say`The subscription to ${describeTarget(covering)} already posts these changes ${describeDelivery(delivery)}.`,
    ],
    small: [say`Each change is posted only once.`],
    buttons: [rowButton('edit', row)],
  });
}

/** Undo was pressed too late, or the subscription has been changed since. `id`: null if it has been removed again. */
export function notUndone(why: 'late' | 'changed', subscribed: Subscribed, id: string | null): Message {
  const changed = say`The subscription to ${describeTarget(subscribed)} has changed since then, so nothing was undone.`;
  return messageOf({
    lines: [why === 'late' ? late : changed],
    buttons: [id !== null && rowButton('edit', { id, subscribed })],
  });
}

/** Nothing that the reader may know of fits these paths. `value` is the value of the button that subscribes to what was probably meant. */
export function pathsNotSeen(
  paths: readonly { readonly path: string; readonly meant: string | undefined }[],
  value: string | null,
): Message {
  return messageOf({
    lines: paths.map(({ path, meant }) => {
      const isFolder = !/[*?{]|\.[\p{L}\p{N}]{1,5}$/u.test(path);
      const question = meant === undefined ? [] : say` Did you mean ${typed(meant)}?`;
      return say`I haven’t seen ${isFolder ? 'a folder' : 'anything that matches'} ${typed(path)} yet.${question}`;
    }),
    buttons: [value !== null && button('answer', 'Change it', { value })],
  });
}

/** The id of a file or folder looks like its name, and nothing with that id was seen. */
export function itemNotSeen(kind: 'file' | 'folder', id: string): Message {
  return notice`I haven’t seen a ${kind} with the id ${typed(id)} yet. If that’s its name, type its id instead.`;
}

/** A file is followed by itself, because the service denies this person its project. */
export const versionsUncertain = notice`Your account can’t subscribe to the whole project, so I’m following the file itself. New versions may not be reported.`;

/** Answers a button about something that has been removed since. */
export const alreadyGone = notice`That no longer exists. Another member may have removed it.`;

/** Answers a button that this release does not know, or whose question was asked too long ago. */
export const outdated = notice`This button is out of date. Open the list again, or run the command again.`;

const late: Phrase = say`It’s too late to undo this. Undo works for ${counted(undoMinutes, 'minute')}.`;

/** Undo was pressed too late. */
export const tooLateToUndo = messageOf({ lines: [late] });

/** The trigger expired: Slack allows three seconds to open a form. */
export const formNotOpened = notice`Slack took too long to open the form. Try again.`;

/** Shown in a form whose result takes longer than Slack waits, usually because Slack itself does not answer. */
export const formTakesLong = notice`Slack is slow to answer me. I’ll send you the result in a message.`;

/** Replaces such a form once what was entered has been accepted. */
export const formReceived = notice`Received. I’ll send you the result in a message.`;

/** What is wrong with such a form, which is still open. `errors`: of its fields. */
export function formRefused(errors: readonly string[]): Message {
  return messageOf({
    lines: [say`I couldn’t accept the form you sent:`, ...errors.map((error) => say`• ${plainly(error)}`)],
  });
}

/** Answers "no" to a question that the bot cannot remove. */
export const nothingDone = notice`OK, nothing changed.`;

/** The first message in a person's direct message with the bot, before anything is posted there. */
export const personalGreeting = messageOf({
  lines: [say`I’ll post your personal subscriptions here. Only you can see them.`],
  small: [say`To add one, end a subscribe command with ${typed('to me')} in any channel.`],
});

/** Answers a command for the reader alone where it was typed; `line` is that command, or null if there is none. */
export function doneForYou(line: string | null): Message {
  return notice`Done${line === null ? [] : say`: ${typed(line)}`}. Check your direct messages with me.`;
}

/** It is muted until then already. */
export function mutedSame(until: Date, personal: boolean): Message {
  return notice`${personal ? 'You’ve already muted me' : 'I’m already muted here'} until ${time(until)}.`;
}

/** The channel, or the reader's own direct message with the bot, is not muted. */
export function notMuted(personal: boolean): Message {
  return notice`${personal ? 'You haven’t muted me.' : 'I’m not muted here.'}`;
}

/** A bug. The log has details under the same reference. */
export function unexpectedError(reference: string): Message {
  return messageOf({
    lines: [say`That didn’t work because of an error in Plancast. Try again.`],
    small: [say`If it happens again, give this reference to your Plancast admin: ${typed(reference)}`],
  });
}

/** Another process sealed something with a key that this process does not have yet. */
export const keysChanging = notice`Plancast is changing its encryption keys. Try again in a few minutes.`;

/** The service could not make a subscription right now; the bot keeps retrying. */
export function beingSetUp(subscribed: Subscribed): Message {
  return notice`The service is unavailable right now. I’ll keep trying for 10 minutes to subscribe to ${describeTarget(subscribed)}, and I’ll let you know how it goes.`;
}

/** A change was requested while the remote subscription was being made or replaced. */
export function settingUp(subscribed: Subscribed): Message {
  return notice`The subscription to ${describeTarget(subscribed)} is being set up right now. Try again in a minute.`;
}

/** Why a subscription was not made although the service refused nothing. */
export const linkStopped = 'Your link no longer works. Link again.';

/** The bot has stopped trying to make a subscription; sent outside its channel. `forPerson` is a whole sentence. */
export function notSetUp(subscribed: Subscribed, channelId: string, forPerson: string): Message {
  const whom = isDirect(channelId) ? 'you' : channel(channelId);
  return messageOf({
    lines: [
      say`I couldn’t subscribe ${whom} to ${describeTarget(subscribed)} and stopped trying.`,
      [sentence(forPerson)],
    ],
  });
}

/**
 * Adds the command that repeats what was entered to an answer about a form that has already closed. Returns the message unchanged if there
 * is no room, or if it has buttons: then it asks a question, and the request is stored for the answer.
 */
export function withTyped(message: Message, line: string): Message {
  const isQuestion = message.blocks.some(isPressed);
  const again: Phrase = say`To try again: ${typed(line)}`;
  const text = `${message.text}\n${inText(again)}`;
  if (isQuestion || line.length > limits.path || text.length > limits.text) return message;
  return { text, blocks: [...message.blocks, context(again)] };
}

/** The bot is not in the channel, and finishes the command `line` once it is invited. */
export function keptUntilInvited(line: string, botName: string): Message {
  return messageOf({
    lines: [
      say`I’m not in this channel yet. Type ${typed(`/invite @${botName}`)} within a day, and I’ll finish ${typed(line)}.`,
    ],
  });
}

/** Greets the person who invited the bot. */
export function greeting({ serviceName, commands }: Copy): Message {
  return messageOf({
    lines: [
      say`I’m in this channel now. Subscribe it to a project or session at ${plainly(serviceName)}, and I’ll post its changes here.`,
    ],
    small: [
      say`Only you can see this. You can also paste a link: ${typed(`${commands.subscribe} https://…`)}`,
    ],
    buttons: [
      requestButton('Subscribe this channel', { act: 'open-form' }, { style: 'primary' }),
      requestButton('Help', { act: 'help' }),
    ],
  });
}

/** A command that was kept until the bot was invited. */
type KeptCommand = { readonly line: string; readonly channelId: string };

/** What a person asked for while the bot was not in the channel was done. */
export function keptDone({ line, channelId }: KeptCommand): Message {
  return notice`I’m in ${channel(channelId)} now, and finished ${typed(line)}.`;
}

/** Adds to an answer what it is about, as the person asked for that up to a day ago and in another place. */
export function aboutKept({ text, blocks }: Message, { line, channelId }: KeptCommand): Message {
  const about = say`I’m in ${channel(channelId)} now. You asked for ${typed(line)}.`;
  return { text: `${inText(about)}\n${text}`, blocks: [context(about), ...blocks] };
}
