import type { Button } from '@slack/types';
import type { ChannelReason } from '../../core/model/channel-reason.ts';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import type { PersonName } from '../../core/model/subscription.ts';
import { actionIds } from '../text/action-ids.ts';
import {
  type Copy,
  describeChannelPause,
  describeDelivery,
  describeFilters,
  describePause,
  describeRemedy,
  describeReopening,
  describeSettings,
  describeTarget,
  type Pause,
  type Remedy,
  type Settings,
  type Who,
  whoIs,
} from '../text/copy.ts';
import { button, type Message, messageOf } from '../text/message.ts';
import { channel, counted, type Phrase, quoted, time, typed } from '../text/phrase.ts';

/** Somebody subscribed the channel. `toStop` is the whole command that undoes it. */
export function subscriptionMade(made: {
  readonly by: Who;
  readonly subscribed: Subscribed;
  readonly settings: Settings;
  readonly toStop: string;
}): Message {
  return messageOf({
    lines: [[...whoIs(made.by), ' subscribed this channel to ', ...describeTarget(made.subscribed), '.']],
    small: [
      [...describeSettings(made.settings), '. Everybody in the channel can read it.'],
      ['To stop: ', typed(made.toStop)],
    ],
  });
}

/** What a subscription was set to, before and after. */
export type SettingsChange = {
  readonly before: Settings & { readonly comprehensive: boolean };
  readonly after: Settings & { readonly comprehensive: boolean };
};

/** Somebody changed a subscription that was there. Says what is different, each with what it was before. */
export function subscriptionChanged(changed: {
  readonly by: Who;
  readonly subscribed: Subscribed;
  readonly change: SettingsChange;
  readonly toStop: string;
}): Message {
  const { by, subscribed, change, toStop } = changed;
  return messageOf({
    lines: [
      [...whoIs(by), ' changed this channel’s subscription to ', ...describeTarget(subscribed), ':'],
      ...differences(change),
    ],
    small: [['To stop: ', typed(toStop)]],
  });
}

/** Whether two settings differ in anything a person would notice. */
export function isSameSettings(change: SettingsChange): boolean {
  return differences(change).length === 0;
}

/**
 * Somebody removed subscriptions. `toFollow` is the whole command that brings a single one back; `undo` adds a button that brings all
 * of them back as they were, for so many minutes.
 */
export function subscriptionsRemoved(removed: {
  readonly by: Who;
  readonly subscribed: readonly Subscribed[];
  readonly toFollow?: string | undefined;
  readonly undo?: { readonly value: string; readonly minutes: number } | undefined;
}): Message {
  const { by, subscribed, toFollow } = removed;
  const [first, ...others] = subscribed;
  const buttons = removed.undo === undefined ? [] : [undoButton(removed.undo, subscribed)];
  const small: readonly Phrase[] = [
    ...(toFollow === undefined ? [] : [['To follow it again: ', typed(toFollow)]]),
    ...(removed.undo === undefined
      ? []
      : [[`For ${counted(removed.undo.minutes, 'minute')}, Undo brings back how it was set too.`]]),
  ];
  if (first !== undefined && others.length === 0) {
    return messageOf({
      lines: [[...whoIs(by), ' removed this channel’s subscription to ', ...describeTarget(first), '.']],
      small,
      buttons,
    });
  }
  return messageOf({
    lines: [
      [...whoIs(by), ` removed ${counted(subscribed.length, 'subscription')} of this channel:`],
      ...subscribed.map((each): Phrase => ['• ', ...describeTarget(each)]),
    ],
    small,
    buttons,
  });
}

function undoButton(undo: { value: string; minutes: number }, subscribed: readonly Subscribed[]): Button {
  const [first] = subscribed;
  const what: Phrase =
    first !== undefined && subscribed.length === 1
      ? describeTarget(first)
      : [counted(subscribed.length, 'subscription')];
  return button({
    actionId: actionIds.subscriptionUndo,
    label: 'Undo',
    value: undo.value,
    spoken: ['Undo the removal of ', ...what],
  });
}

/** Somebody paused a subscription; `resumeValue` comes back with the button that ends that. */
export function subscriptionPausedBy(rests: {
  readonly by: Who;
  readonly subscribed: Subscribed;
  readonly resumeValue: string;
}): Message {
  const { by, subscribed, resumeValue } = rests;
  return messageOf({
    lines: [[...whoIs(by), ' paused this channel’s subscription to ', ...describeTarget(subscribed), '.']],
    small: [
      ['When it is resumed, one message tells what happened in the meantime, a week of it at the most.'],
    ],
    buttons: [
      button({
        actionId: actionIds.subscriptionResume,
        label: 'Resume',
        value: resumeValue,
        spoken: ['Resume ', ...describeTarget(subscribed)],
      }),
    ],
  });
}

/** Nothing is posted for now; says why, and what ends it. `takeOverValue` adds a button for somebody else to carry it on. */
export function subscriptionPaused(paused: {
  readonly subscribed: Subscribed;
  readonly pause: Pause;
  readonly remedy: Remedy;
  readonly takeOverValue?: string | undefined;
}): Message {
  const { subscribed, pause, remedy, takeOverValue } = paused;
  return messageOf({
    lines: [
      [
        'I have paused this channel’s subscription to ',
        ...describeTarget(subscribed),
        ', because ',
        ...describePause(pause),
        '.',
      ],
      describeRemedy(pause, remedy),
    ],
    small: isStillSent(pause)
      ? [['When it carries on, one message tells what happened in the meantime, a week of it at the most.']]
      : [],
    buttons: takeOverValue === undefined ? [] : [takeOver(subscribed, takeOverValue)],
  });
}

/** Whether the service goes on sending during a pause, so that there is something to tell afterwards. */
function isStillSent({ reason }: Pause): boolean {
  switch (reason) {
    case 'not in channel':
    case 'channel archived':
    case 'posting restricted':
    case 'workspace access':
    case 'link lost':
    case 'by a person':
      return true;
    case 'unlinked':
    case 'owner gone':
    case 'no access':
    case 'not sent any more':
      return false;
  }
}

/** The channel is closed to the bot: written to an owner about all of theirs there. */
export function channelClosed(closed: {
  readonly channelId: string;
  readonly subscribed: readonly Subscribed[];
  readonly reason: ChannelReason;
  readonly copy: Copy;
  readonly botName: string;
}): Message {
  const { channelId, subscribed, reason } = closed;
  return messageOf({
    lines: [
      [
        'I have paused your ',
        subscribed.length === 1 ? 'subscription' : counted(subscribed.length, 'subscription'),
        ' in ',
        channel(channelId),
        ', because ',
        ...describeChannelPause(reason),
        ':',
      ],
      ...listOf(subscribed),
      describeReopening(reason, closed.botName),
    ],
    small: [['When it resumes, you’ll get one summary of up to a week.']],
  });
}

/** The channel was deleted, and its subscriptions with it: written to an owner about all of theirs there. */
export function channelDeleted(deleted: {
  readonly channelId: string;
  readonly subscribed: readonly Subscribed[];
}): Message {
  const { channelId, subscribed } = deleted;
  const have = subscribed.length === 1 ? 'subscription there has' : 'subscriptions there have';
  return messageOf({
    lines: [
      ['The channel ', channel(channelId), ` was deleted, so your ${have} ended:`],
      ...listOf(subscribed),
    ],
    small: [['To follow it again, subscribe in another channel.']],
  });
}

/** The channel is open to the bot again. `missed`: how many changes waited, which a summary shows next. */
export function channelResumed(resumed: {
  readonly subscribed: readonly Subscribed[];
  readonly missed: number;
}): Message {
  const { subscribed, missed } = resumed;
  const [first, ...others] = subscribed;
  return messageOf({
    lines:
      first !== undefined && others.length === 0
        ? [['I can post here again about ', ...describeTarget(first), '. ', missedWords(missed)]]
        : [
            [
              `I can post here again about ${counted(subscribed.length, 'subscription')}. `,
              missedWords(missed),
            ],
            ...listOf(subscribed),
          ],
  });
}

/** People of another organization read along: says what is shown less of, with a button that ends it. */
export function channelShared(): Message {
  return messageOf({
    lines: [
      [
        'This channel is shared with another organization. From now on, people without a Slack name in this workspace appear as ',
        quoted('someone'),
        ', and paths are shortened to their last folder.',
      ],
    ],
    small: [['Anyone who may change this channel’s subscriptions can show everything.']],
    buttons: [
      button({
        actionId: actionIds.sharedShowAll,
        label: 'Show everything',
        confirm: {
          title: 'Show everything here?',
          text: ['People outside your organization will see e-mail addresses and full folder paths.'],
          yes: 'Show everything',
          style: 'primary',
        },
      }),
    ],
  });
}

/** A member chose how much is shown in a shared channel. */
export function sharedChannelShows({ by, all }: { readonly by: Who; readonly all: boolean }): Message {
  return messageOf({
    lines: [
      all
        ? [...whoIs(by), ' allowed full names and folder paths in this shared channel.']
        : [...whoIs(by), ' shortened names and folder paths in this shared channel again.'],
    ],
    buttons: [
      all
        ? button({ actionId: actionIds.sharedShowLess, label: 'Shorten again' })
        : button({ actionId: actionIds.sharedShowAll, label: 'Show everything' }),
    ],
  });
}

function listOf(subscribed: readonly Subscribed[]): Phrase[] {
  return subscribed.map((each): Phrase => ['• ', ...describeTarget(each)]);
}

/** It is posted again, by itself or through `by`. `missed`: how many changes waited, which a summary tells next; null where nobody knows. */
export function subscriptionResumed(resumed: {
  readonly subscribed: Subscribed;
  readonly by?: Who | undefined;
  readonly missed: number | null;
}): Message {
  const { subscribed, by, missed } = resumed;
  const begin: Phrase =
    by === undefined
      ? ['I am posting again here about ', ...describeTarget(subscribed)]
      : [...whoIs(by), ' resumed this channel’s subscription to ', ...describeTarget(subscribed)];
  return messageOf({ lines: [[...begin, '. ', missedWords(missed)]] });
}

/** What was followed does not exist any more, or the service does not find it any more, which may have other causes. */
export function subscriptionEnded(ended: {
  readonly subscribed: Subscribed;
  readonly why?: 'deleted' | 'not found' | undefined;
}): Message {
  const because =
    ended.why === 'not found' ? 'it cannot be found at the service any more' : 'that was deleted';
  return messageOf({
    lines: [
      [
        'This channel’s subscription to ',
        ...describeTarget(ended.subscribed),
        ` has ended, because ${because}.`,
      ],
    ],
  });
}

/** A subscription goes on with somebody else's link. */
export function subscriptionTakenOver(taken: {
  readonly by: Who;
  readonly from: Who;
  readonly subscribed: Subscribed;
}): Message {
  return messageOf({
    lines: [
      [
        ...whoIs(taken.by),
        ' took over this channel’s subscription to ',
        ...describeTarget(taken.subscribed),
        ' from ',
        ...whoIs(taken.from),
        '.',
      ],
    ],
    small: [['What is posted stays the same.']],
  });
}

/** Somebody muted the channel. */
export function channelMuted({ by, until }: { readonly by: Who; readonly until: Date }): Message {
  return messageOf({
    lines: [[...whoIs(by), ' muted me in this channel until ', time(until), '.']],
    small: [['What happens meanwhile comes in one message then.']],
  });
}

/** Somebody ended the muting; `waiting` changes follow in a summary. */
export function channelUnmuted({ by, waiting }: { readonly by: Who; readonly waiting: number }): Message {
  return messageOf({ lines: [[...whoIs(by), ' unmuted me in this channel. ', missedWords(waiting)]] });
}

function missedWords(missed: number | null): string {
  if (missed === null) return 'I cannot know what happened meanwhile.';
  if (missed === 0) return 'Nothing was missed.';
  return `${counted(missed, 'change')} came in meanwhile; a summary follows.`;
}

function takeOver(subscribed: Subscribed, value: string): Button {
  return button({
    actionId: actionIds.subscriptionTakeOver,
    label: 'Take over',
    value,
    spoken: ['Take over ', ...describeTarget(subscribed)],
  });
}

function differences({ before, after }: SettingsChange): readonly Phrase[] {
  const filters = ({ filters, names }: Settings) => describeFilters(filters, names);
  const extent = ({ comprehensive }: SettingsChange['after']): Phrase => [
    comprehensive ? 'with everything in it' : 'itself alone',
  ];
  const threads = (settings: Settings): Phrase => [settings.threads ? 'on' : 'off'];
  const row = (title: string, notify: (settings: SettingsChange['after']) => Phrase): Phrase => [
    `• ${title}: `,
    ...notify(after),
    ' (before: ',
    ...notify(before),
    ')',
  ];
  return [
    ...(before.comprehensive === after.comprehensive ? [] : [row('Extent', extent)]),
    ...(isSame(filtersKey(before), filtersKey(after)) ? [] : [row('Posted', filters)]),
    ...(isSame(deliveryKey(before), deliveryKey(after))
      ? []
      : [row('When', ({ delivery }) => describeDelivery(delivery))]),
    ...(before.threads === after.threads ? [] : [row('Threads', threads)]),
  ];
}

/** What counts, in an order of its own: stored settings come back with their fields in any order, and people from a form in another. */
function filtersKey({ filters: { only, paths, by, notBy } }: Settings): readonly unknown[] {
  return [sorted(only), paths, sorted(by.map(personKey)), sorted(notBy.map(personKey))];
}

function sorted(keys: readonly string[]): readonly string[] {
  return keys.toSorted((a, b) => a.localeCompare(b));
}

function personKey(person: PersonName): string {
  return 'email' in person ? person.email.toLowerCase() : person.userId;
}

function deliveryKey({ delivery }: Settings): readonly unknown[] {
  return delivery.when === 'daily' ? [delivery.when, delivery.at, delivery.zone] : [delivery.when];
}

function isSame(before: readonly unknown[], after: readonly unknown[]): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}
