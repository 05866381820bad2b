import type { Postable } from '../../core/model/may-post.ts';
import type { Mistake } from '../../core/model/mistake.ts';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import { actionIds } from '../text/action-ids.ts';
import { type Copy, describeTarget } from '../text/copy.ts';
import { button, type Message, messageOf, section } from '../text/message.ts';
import { counted, inText, type Phrase, plainly, sentence, strong, typed } from '../text/phrase.ts';

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
    command: ['Type ', typed(`/invite @${botName}`), ', and then your command again.'],
    form: ['Type ', typed(`/invite @${botName}`), ' there first.'],
    check: ['Type ', typed(`/invite @${botName}`), ', and I can.'],
  };
  const notThere: Phrase = [`I am not in ${that}, so I cannot post ${there}. `, ...inviting[where]];
  const orElse = where === 'check' ? '' : ', or use another channel';
  const toType = where === 'command' ? ' Type your command in the channel that is to have the news.' : '';
  const reasons: Record<Unpostable, Phrase> = {
    'not in private channel': notThere,
    'not in channel': notThere,
    archived: [
      `${where === 'form' ? 'That' : 'This'} channel is archived, so nothing can be posted ${there}. Unarchive it first${orElse}.`,
    ],
    'read-only': [
      `Only some people may post in ${that}, and I am not among them. Ask an admin of the channel to let me post.`,
    ],
    'direct message': [`I post in channels only, not in direct messages.${toType}`],
    'not installed': [
      'I am not installed in this workspace as I should be. Ask an admin of the workspace to install me again.',
    ],
    unknown: [`Slack did not tell me whether I may post ${there}. Please try again in a minute.`],
  };
  return reasons[why];
}

/** Why somebody may not do anything with this bot. */
export type Refusal = 'guest' | 'stranger' | 'not in channel' | 'perhaps not in channel' | 'deactivated';

const refusals: Record<Refusal, string> = {
  guest: 'Guests cannot do that. Please ask a full member of this workspace.',
  stranger: 'Only members of the workspace that installed me can do that. Please ask one of them.',
  'not in channel': 'Only people who are in the channel can do that. Join it first.',
  'perhaps not in channel':
    'Only people who are in the channel can do that, and I cannot see now whether you are. Please do it in the channel itself.',
  deactivated: 'This Slack user is deactivated, so I cannot do that.',
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
      [`That was a lot at once. Please try again in ${counted(Math.max(1, Math.ceil(seconds)), 'second')}.`],
    ],
  });
}

/** The service did not do what was asked; `forPerson` is a whole sentence. */
export function serviceError({ forPerson }: { readonly forPerson: string }): Message {
  return messageOf({ lines: [[sentence(forPerson)]], small: [nothingChanged] });
}

/** What was typed cannot be understood: the word, what was expected there, and a command that works. */
export function notUnderstood({ word, after, expected, meant, example }: Omit<Mistake, 'position'>): Message {
  const where: Phrase = after === null ? [] : [' after ', typed(after)];
  const what: Phrase =
    word === null ? ['Something is missing', ...where] : ['I do not understand ', typed(word), ...where];
  return messageOf({
    lines: [
      [
        ...what,
        '. I expected ',
        sentence(expected),
        '.',
        ...(meant === undefined ? [] : [' Did you mean ', typed(meant), '?']),
      ],
      ['This works: ', typed(example)],
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

/** Something wider is followed already; asks whether to follow this as well. */
export function overlapQuestion(question: {
  readonly wanted: Subscribed;
  readonly covering: Subscribed;
  readonly value: string;
}): Message {
  const { wanted, covering, value } = question;
  return messageOf({
    lines: [
      [
        'This channel already follows ',
        ...describeTarget(covering),
        '. That covers ',
        ...describeTarget(wanted),
        '.',
      ],
      ['Add it anyway? What both tell is posted once.'],
    ],
    buttons: [
      button({ actionId: actionIds.subscribeAnyway, label: 'Add anyway', value }),
      button({ actionId: actionIds.dismiss, label: 'Do not add' }),
    ],
  });
}

/** People of other organisations would read what is posted; asks before a subscription is made. */
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
        'People of other organisations are in this channel. They too would read the news of ',
        ...describeTarget(wanted),
        ', with names of files, folders and people.',
      ],
      ['Subscribe anyway?'],
    ],
    buttons: [
      button({ actionId: actionIds.subscribeShared, label: 'Subscribe anyway', value }),
      button({ actionId: actionIds.dismiss, label: 'Do not subscribe' }),
    ],
  });
}

/** How much a shared channel shows is so already, or the channel is not shared any more. */
export function sharedAlreadySo({ all }: { readonly all: boolean }): Message {
  return messageOf({
    lines: [
      [
        all
          ? 'Everything is shown in this channel already.'
          : 'Names and paths are shortened only while a channel is shared, and they may be already.',
      ],
    ],
  });
}

/** Asks before all subscriptions of a channel go. */
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
        count === 1 ? 'Remove the only subscription' : `Remove all ${counted(count, 'subscription')}`,
        ' of this channel? I then post nothing here any more.',
      ],
    ],
    buttons: [
      button({
        actionId: actionIds.unsubscribeAllConfirm,
        label: count === 1 ? 'Remove it' : 'Remove all',
        value,
        style: 'danger',
      }),
      button({ actionId: actionIds.dismiss, label: 'Keep them' }),
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
    return messageOf({ lines: [['This channel follows nothing, so there is nothing to remove.']] });
  }
  return messageOf({
    lines: [
      ['This channel does not follow ', ...describeTarget(subscribed), ', so there is nothing to remove.'],
    ],
    small: [['What it does follow: ', typed(copy.commands.subscriptions)]],
  });
}

/** It is being followed already, and the service is just being asked for it. */
export function beingSubscribed({ subscribed }: { readonly subscribed: Subscribed }): Message {
  return messageOf({
    lines: [
      ['This channel is just being subscribed to ', ...describeTarget(subscribed), '. Nothing changed.'],
    ],
  });
}

/** It is followed already, in just that way. */
export function alreadySubscribed({ subscribed }: { readonly subscribed: Subscribed }): Message {
  return messageOf({
    lines: [
      [
        'This channel already follows ',
        ...describeTarget(subscribed),
        ', in just that way. Nothing changed.',
      ],
    ],
  });
}

/** A button of a message whose thing is gone meanwhile. */
export function alreadyGone(): Message {
  return messageOf({ lines: [['That is not there any more; somebody may have removed it meanwhile.']] });
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
    lines: [[`That can be undone for ${counted(minutes, 'minute')} only, and they are over.`]],
    small: toFollow === null ? [] : [['To follow it again: ', typed(toFollow)]],
  });
}

/** Slack closes the way to a form after three seconds. */
export function formNotOpened(): Message {
  return messageOf({
    lines: [['I was too slow, and Slack did not let me open the form. Please try once more.']],
  });
}

/** Paused already, or not paused any more, as somebody else was quicker. */
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
        paused ? ' does not post at the moment anyway.' : ' is not paused.',
        ' Nothing changed.',
      ],
    ],
  });
}

/** Which clock a time of day was taken for. */
export function timeZoneNote({ at, zone }: { readonly at: string; readonly zone: string }): Message {
  return messageOf({
    lines: [[plainly(at), ' is taken in the time zone of your Slack profile, ', plainly(zone), '.']],
  });
}

/** The "no" to a question that cannot be taken away. */
export function nothingDone(): Message {
  return messageOf({ lines: [['Everything stays as it is. You can close this.']] });
}

/** Nothing is muted. */
export function notMuted(): Message {
  return messageOf({ lines: [['I am not muted in this channel. Nothing changed.']] });
}

/** Something broke that should not. The log has more under the same reference. */
export function unexpectedError({ reference }: { readonly reference: string }): Message {
  return messageOf({
    lines: [['Sorry, that did not work, and the fault is mine. Please try once more.']],
    small: [['If it happens again, give this to whoever looks after this bot: ', typed(reference)]],
  });
}

/** What is asked for was sealed by another process with a key that this one has not been given yet. */
export function keysChanging(): Message {
  return messageOf({
    lines: [['I am being given new keys at the moment. Please try again in a few minutes.']],
  });
}

const nothingChanged: Phrase = ['Nothing was changed.'];
