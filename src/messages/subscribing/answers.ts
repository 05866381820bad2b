import type { Postable } from '../../core/model/may-post.ts';
import type { Mistake } from '../../core/model/mistake.ts';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import { actionIds } from '../text/action-ids.ts';
import { type Copy, describeTarget } from '../text/copy.ts';
import { button, type Message, messageOf, section } from '../text/message.ts';
import { counted, inText, type Phrase, sentence, strong, typed } from '../text/phrase.ts';

type Unpostable = Exclude<Postable, 'yes'>;

/** Nothing can be posted in that conversation; says why and what helps. `botName`: the bot's name in Slack, for `/invite`. */
export function cannotPost(obstacle: { readonly why: Unpostable; readonly botName: string }): Message {
  return messageOf({ lines: [whyNotPostable(obstacle, 'command')], small: [nothingChanged] });
}

/**
 * The same as sentences. `where`: in answer to a command in that channel, of a channel that is chosen in a form, or as what a check of
 * the channel found.
 */
export function whyNotPostable(
  { why, botName }: { readonly why: Unpostable; readonly botName: string },
  where: 'command' | 'form' | 'check',
): Phrase {
  const [that, there] = where === 'form' ? ['that channel', 'there'] : ['this channel', 'here'];
  const inviting: Record<typeof where, Phrase> = {
    command: ['Type ', typed(`/invite @${botName}`), ', then run your command again.'],
    form: ['Type ', typed(`/invite @${botName}`), ' there first.'],
    check: ['Type ', typed(`/invite @${botName}`), '.'],
  };
  const notThere: Phrase = [`I’m not in ${that}, so I can’t post ${there}. `, ...inviting[where]];
  const orElse = where === 'check' ? '' : ', or use another channel';
  const toType =
    where === 'command'
      ? ' Run your command in a channel, or end it with `to me` for your own messages from me.'
      : '';
  const reasons: Record<Unpostable, Phrase> = {
    'not in private channel': notThere,
    'not in channel': notThere,
    archived: [`${where === 'form' ? 'That' : 'This'} channel is archived. Unarchive it first${orElse}.`],
    'read-only': [`Only some people may post in ${that}. Ask a channel admin to let me post.`],
    'direct message': [`I can’t post in a conversation between other people.${toType}`],
    'not installed': [
      'My installation in this workspace no longer works. Ask a workspace admin to install me again.',
    ],
    unknown: [`Slack didn’t say whether I may post ${there}. Try again in a minute.`],
  };
  return reasons[why];
}

/** Why a person may not do anything with this bot. */
export type Refusal = 'guest' | 'stranger' | 'not in channel' | 'perhaps not in channel' | 'deactivated';

const refusals: Record<Refusal, string> = {
  guest: 'Guests can’t do that. Ask a full member of this workspace.',
  stranger: 'Only members of the workspace that installed me can do that.',
  'not in channel': 'Only people in the channel can do that. Join it first.',
  'perhaps not in channel':
    'Only people in the channel can do that, and I can’t check right now whether you are. Do it in the channel itself.',
  deactivated: 'This Slack user is deactivated.',
};

/** This person may not do that. */
export function refused(why: Refusal): Message {
  return messageOf({ lines: [[refusalWords(why)]] });
}

/** The same as a sentence. */
export function refusalWords(why: Refusal): string {
  return refusals[why];
}

/** Too much in too short a time. */
export function tooManyTries(seconds: number): Message {
  return messageOf({
    lines: [
      [
        `Too many commands at once. Please try again in ${counted(Math.max(1, Math.ceil(seconds)), 'second')}.`,
      ],
    ],
  });
}

/** The service refused what was asked; `forPerson` is a whole sentence. */
export function serviceError({ forPerson }: { readonly forPerson: string }): Message {
  return messageOf({ lines: [[sentence(forPerson)]], small: [nothingChanged] });
}

/**
 * What was typed cannot be understood: the word, what was expected there, and a command that works. `value` comes back with the button
 * that runs the person's own line, corrected; null where there is no such line.
 */
export function notUnderstood({
  word,
  after,
  expected,
  example,
  value,
}: Pick<Mistake, 'word' | 'after' | 'expected' | 'example'> & { readonly value: string | null }): Message {
  const where: Phrase = after === null ? [] : [' after ', typed(after)];
  const what: Phrase =
    word === null ? ['Something is missing', ...where] : ['I don’t understand ', typed(word), ...where];
  return messageOf({
    lines: [
      [...what, '. I expected ', sentence(expected), '.'],
      value === null ? ['For example: ', typed(example)] : ['Did you mean ', typed(example), '?'],
    ],
    buttons:
      value === null
        ? []
        : [
            button({
              actionId: actionIds.runCorrection,
              label: 'Run this',
              value,
              style: 'primary',
              spoken: ['Run ', typed(example)],
            }),
          ],
  });
}

/** Asks whether a bare id is a project's or a session's. The values come back with the choice. */
export function kindQuestion(question: {
  readonly id: string;
  readonly projectValue: string;
  readonly sessionValue: string;
}): Message {
  const { id, projectValue, sessionValue } = question;
  const ask: Phrase = ['Is ', typed(id), ' a project or a session?'];
  const choice = (label: string, value: string) =>
    button({ actionId: actionIds.subscribeKind, label, value });
  return {
    text: inText(ask),
    blocks: [
      section([ask]),
      section([[strong('Project'), ': folders and files']], choice('It is a project', projectValue)),
      section([[strong('Session'), ': documents']], choice('It is a session', sessionValue)),
    ],
  };
}

/** A wider subscription covers it; asks whether to add this as well. */
export function overlapQuestion(question: {
  readonly wanted: Subscribed;
  readonly covering: Subscribed;
  readonly value: string;
}): Message {
  const { wanted, covering, value } = question;
  return messageOf({
    lines: [
      [
        'The subscription to ',
        ...describeTarget(covering),
        ' already covers ',
        ...describeTarget(wanted),
        '.',
      ],
      ['Add it anyway? Changes covered by both are posted once.'],
    ],
    buttons: [
      button({ actionId: actionIds.subscribeAnyway, label: 'Add anyway', value }),
      button({ actionId: actionIds.dismiss, label: 'Don’t add' }),
    ],
  });
}

/** The service refuses the project that carries a folder's contents to this person; offers the folder without them. */
export function folderOnlyQuestion({
  wanted,
  value,
}: {
  readonly wanted: Subscribed;
  readonly value: string;
}): Message {
  return messageOf({
    lines: [
      ['The service refused you the project, and without it I can’t see what happens in the folder.'],
      ['Subscribe to ', ...describeTarget(wanted), '?'],
    ],
    buttons: [
      button({ actionId: actionIds.subscribeFolderOnly, label: 'Folder only', value }),
      button({ actionId: actionIds.dismiss, label: 'Don’t subscribe' }),
    ],
  });
}

/** People of other organizations would read what is posted; asks before a subscription is made. */
export function sharedChannelQuestion({
  wanted,
  value,
}: {
  readonly wanted: Subscribed;
  readonly value: string;
}): Message {
  return messageOf({
    lines: [
      [
        'This channel is shared with another organization. Its people would see changes of ',
        ...describeTarget(wanted),
        ', with names of files, folders and people.',
      ],
      ['Subscribe anyway?'],
    ],
    buttons: [
      button({ actionId: actionIds.subscribeShared, label: 'Subscribe anyway', value }),
      button({ actionId: actionIds.dismiss, label: 'Don’t subscribe' }),
    ],
  });
}

/** A shared channel shows that much already, or is no longer shared. */
export function sharedAlreadySo({ all }: { readonly all: boolean }): Message {
  return messageOf({
    lines: [
      [
        all
          ? 'This channel already shows everything.'
          : 'Names and paths are shortened only while a channel is shared. Nothing changed.',
      ],
    ],
  });
}

/** Asks before all subscriptions of a conversation are removed. */
export function unsubscribeAllQuestion({
  count,
  value,
}: {
  readonly count: number;
  readonly value?: string | undefined;
}): Message {
  return messageOf({
    lines: [
      [
        count === 1
          ? 'Remove the only subscription here?'
          : `Remove all ${counted(count, 'subscription')} here?`,
        ' Nothing will be posted here any more.',
      ],
    ],
    buttons: [
      button({
        actionId: actionIds.unsubscribeAllConfirm,
        label: count === 1 ? 'Remove it' : 'Remove all',
        value,
        style: 'danger',
      }),
      button({ actionId: actionIds.dismiss, label: 'Keep' }),
    ],
  });
}

/** What is to be removed is not followed here. `subscribed` is null where it was "all". */
export function nothingToRemove(missing: {
  readonly subscribed: Subscribed | null;
  readonly copy: Copy;
}): Message {
  const { subscribed, copy } = missing;
  if (subscribed === null) {
    return messageOf({ lines: [['There are no subscriptions here, so there is nothing to remove.']] });
  }
  return messageOf({
    lines: [['There is no subscription to ', ...describeTarget(subscribed), ' here.']],
    small: [['Subscriptions here: ', typed(copy.commands.subscriptions)]],
  });
}

/** The same subscription is being set up at this moment. */
export function beingSubscribed({ subscribed }: { readonly subscribed: Subscribed }): Message {
  return messageOf({
    lines: [['The subscription to ', ...describeTarget(subscribed), ' is already being set up.']],
  });
}

/** There is such a subscription, with just these options. */
export function alreadySubscribed({ subscribed }: { readonly subscribed: Subscribed }): Message {
  return messageOf({
    lines: [
      [
        'The subscription to ',
        ...describeTarget(subscribed),
        ' already exists with these options. Nothing changed.',
      ],
    ],
  });
}

/** A button of a message about something that was removed since. */
export function alreadyGone(): Message {
  return messageOf({ lines: [['That no longer exists. Another member may have removed it.']] });
}

/** A removal was to be undone after its time. `toFollow`: the whole command that makes it again; none where there were several. */
export function tooLateToUndo({
  minutes,
  toFollow,
}: {
  readonly minutes: number;
  readonly toFollow: string | null;
}): Message {
  return messageOf({
    lines: [[`Undo was available for ${counted(minutes, 'minute')}. That time is over.`]],
    small: toFollow === null ? [] : [['Subscribe again: ', typed(toFollow)]],
  });
}

/** Slack closes the way to a form after three seconds. */
export function formNotOpened(): Message {
  return messageOf({
    lines: [['Slack didn’t let me open the form in time. Try again.']],
  });
}

/** Paused already, or no longer paused: another member was quicker. */
export function alreadySo({
  subscribed,
  paused,
}: {
  readonly subscribed: Subscribed;
  readonly paused: boolean;
}): Message {
  return messageOf({
    lines: [
      [
        'The subscription to ',
        ...describeTarget(subscribed),
        paused ? ' is already paused.' : ' isn’t paused.',
        ' Nothing changed.',
      ],
    ],
  });
}

/** The "no" to a question that cannot be taken away. */
export function nothingDone(): Message {
  return messageOf({ lines: [['Nothing changed. You can close this.']] });
}

/** The first message to a person in their direct message with the bot, before anything is posted there. */
export function personalGreeting(): Message {
  return messageOf({
    lines: [['Your own subscriptions are posted here. Only you can see them.']],
    small: [['End a command with ', typed('to me'), ' in any channel, or type it here.']],
  });
}

/** Nothing is muted. */
export function notMuted(): Message {
  return messageOf({ lines: [['I’m not muted here. Nothing changed.']] });
}

/** A bug. The log has more under the same reference. */
export function unexpectedError({ reference }: { readonly reference: string }): Message {
  return messageOf({
    lines: [['That didn’t work because of an error in Plancast. Try again.']],
    small: [['If it happens again, give this reference to your Plancast admin: ', typed(reference)]],
  });
}

/** Another process sealed this with a key that this process does not have yet. */
export function keysChanging(): Message {
  return messageOf({
    lines: [['Encryption keys are being changed. Try again in a few minutes.']],
  });
}

const nothingChanged: Phrase = ['Nothing changed.'];
