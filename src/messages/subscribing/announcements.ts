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
import { channel, counted, type Phrase, quoted, strong, time, typed } from '../text/phrase.ts';

/**
 * A member subscribed the channel, or, with `personal`, themselves in their direct message with the bot. `toStop` is the whole command
 * that removes the subscription.
 */
export function subscriptionMade(made: {
  readonly by: Who;
  readonly subscribed: Subscribed;
  readonly settings: Settings;
  readonly toStop: string;
  readonly personal?: boolean | undefined;
}): Message {
  const begin: Phrase = made.personal
    ? ['You subscribed to ']
    : [...whoIs(made.by), ' subscribed this channel to '];
  return messageOf({
    lines: [[...begin, ...describeTarget(made.subscribed), '.']],
    small: [[...describeSettings(made.settings), '. · Undo: ', typed(made.toStop)]],
  });
}

/** The options of a subscription, before and after. */
export type SettingsChange = {
  readonly before: Options;
  readonly after: Options;
};

/** The name is null where none is known. */
type Options = Settings & { readonly comprehensive: boolean; readonly name?: string | null | undefined };

/** A member changed a subscription. Lists each difference with what it was before. */
export function subscriptionChanged(changed: {
  readonly by: Who;
  readonly subscribed: Subscribed;
  readonly change: SettingsChange;
  readonly toStop: string;
}): Message {
  const { by, subscribed, change, toStop } = changed;
  return messageOf({
    lines: [
      [...whoIs(by), ' changed the subscription to ', ...describeTarget(subscribed), ':'],
      ...differences(change),
    ],
    small: [['Remove it: ', typed(toStop)]],
  });
}

/** Whether two settings differ in anything a person would notice. */
export function isSameSettings(change: SettingsChange): boolean {
  return differences(change).length === 0;
}

/**
 * A member removed subscriptions. `toFollow` is the whole command that makes a single one again; `undo` adds a button that restores all
 * of them with their options, for so many minutes.
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
    ...(toFollow === undefined ? [] : [['Subscribe again: ', typed(toFollow)]]),
    ...(removed.undo === undefined
      ? []
      : [[`Undo within ${counted(removed.undo.minutes, 'minute')} restores its settings too.`]]),
  ];
  if (first !== undefined && others.length === 0) {
    return messageOf({
      lines: [[...whoIs(by), ' removed the subscription to ', ...describeTarget(first), '.']],
      small,
      buttons,
    });
  }
  return messageOf({
    lines: [
      [...whoIs(by), ` removed ${counted(subscribed.length, 'subscription')}:`],
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

/** A member paused a subscription; `resumeValue` comes back with the button that ends the pause. */
export function subscriptionPausedBy(rests: {
  readonly by: Who;
  readonly subscribed: Subscribed;
  readonly resumeValue: string;
}): Message {
  const { by, subscribed, resumeValue } = rests;
  return messageOf({
    lines: [[...whoIs(by), ' paused the subscription to ', ...describeTarget(subscribed), '.']],
    small: [['When it resumes, you’ll get one summary of up to a week.']],
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

/** A subscription was paused: why, and what ends that. `takeOverValue` adds a button with which another member takes it over. */
export function subscriptionPaused(paused: {
  readonly subscribed: Subscribed;
  readonly pause: Pause;
  readonly remedy: Remedy;
  readonly takeOverValue?: string | undefined;
}): Message {
  const { subscribed, pause, remedy, takeOverValue } = paused;
  return messageOf({
    lines: [
      ['The subscription to ', ...describeTarget(subscribed), ' is paused: ', ...describePause(pause), '.'],
      describeRemedy(pause, remedy),
    ],
    small: isStillSent(pause) ? [['When it resumes, you’ll get one summary of up to a week.']] : [],
    buttons: takeOverValue === undefined ? [] : [takeOver(subscribed, takeOverValue)],
  });
}

/** Whether the service keeps sending during a pause, so that there is something to summarize afterwards. */
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

/** The bot can no longer post in the channel: sent to an owner about all of their subscriptions there. */
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
        'Your ',
        subscribed.length === 1 ? 'subscription' : counted(subscribed.length, 'subscription'),
        ' in ',
        channel(channelId),
        subscribed.length === 1 ? ' is paused: ' : ' are paused: ',
        ...describeChannelPause(reason),
        '.',
      ],
      ...listOf(subscribed),
      describeReopening(reason, closed.botName),
    ],
    small: [['When it resumes, you’ll get one summary of up to a week.']],
  });
}

/** The channel was deleted, and its subscriptions with it: sent to an owner about all of theirs there. */
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
    small: [['To keep getting changes, subscribe in another channel.']],
  });
}

/** The bot can post in the channel again. `missed`: how many changes waited, which a summary shows next. */
export function channelResumed(resumed: {
  readonly subscribed: readonly Subscribed[];
  readonly missed: number;
}): Message {
  const { subscribed, missed } = resumed;
  const [first, ...others] = subscribed;
  return messageOf({
    lines:
      first !== undefined && others.length === 0
        ? [['I’m posting here again: ', ...describeTarget(first), '.', missedWords(missed)]]
        : [
            [
              `I’m posting here again for ${counted(subscribed.length, 'subscription')}.`,
              missedWords(missed),
            ],
            ...listOf(subscribed),
          ],
  });
}

/** The channel is shared with another organization: what is hidden from now on, with a button that shows it again. */
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

/** A pause ended by itself, or through `by`. `missed`: how many changes waited, which a summary shows next; null where that is not known. */
export function subscriptionResumed(resumed: {
  readonly subscribed: Subscribed;
  readonly by?: Who | undefined;
  readonly missed: number | null;
}): Message {
  const { subscribed, by, missed } = resumed;
  const begin: Phrase =
    by === undefined
      ? ['Resumed: ', ...describeTarget(subscribed)]
      : [...whoIs(by), ' resumed the subscription to ', ...describeTarget(subscribed)];
  return messageOf({ lines: [[...begin, '.', missedWords(missed)]] });
}

/** What was followed was deleted, or the service no longer finds it, which may have other causes. */
export function subscriptionEnded(ended: {
  readonly subscribed: Subscribed;
  readonly why?: 'deleted' | 'not found' | undefined;
}): Message {
  const { subscribed, why } = ended;
  const because =
    why === 'not found' ? 'the service no longer finds it' : `the ${subscribed.target.kind} was deleted`;
  return messageOf({
    lines: [['Subscription to ', ...describeTarget(subscribed), ` ended: ${because}.`]],
  });
}

/** Another member's link carries the subscription from now on. */
export function subscriptionTakenOver(taken: {
  readonly by: Who;
  readonly from: Who;
  readonly subscribed: Subscribed;
}): Message {
  return messageOf({
    lines: [
      [
        ...whoIs(taken.by),
        ' took over the subscription to ',
        ...describeTarget(taken.subscribed),
        ' from ',
        ...whoIs(taken.from),
        '.',
      ],
    ],
    small: [['Its settings stay the same.']],
  });
}

/** A member muted the conversation. */
export function channelMuted({ by, until }: { readonly by: Who; readonly until: Date }): Message {
  return messageOf({
    lines: [[...whoIs(by), ' muted me here until ', time(until), '.']],
    small: [['I’ll post a summary when the mute ends.']],
  });
}

/** A member ended the mute; `waiting` changes follow in a summary. */
export function channelUnmuted({ by, waiting }: { readonly by: Who; readonly waiting: number }): Message {
  return messageOf({ lines: [[...whoIs(by), ' unmuted me here.', missedWords(waiting)]] });
}

/** What was missed, where no summary in the same message says it. */
function missedWords(missed: number | null): string {
  if (missed === null) return ' Changes in the meantime aren’t known.';
  return missed === 0 ? ' No changes in the meantime.' : '';
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
    comprehensive ? 'with its contents' : 'without its contents',
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
    ...(before.comprehensive === after.comprehensive ? [] : [row('Scope', extent)]),
    ...(isSame(filtersKey(before), filtersKey(after)) ? [] : [row('Events', filters)]),
    ...(isSame(deliveryKey(before), deliveryKey(after))
      ? []
      : [row('Delivery', ({ delivery }) => describeDelivery(delivery))]),
    ...(before.threads === after.threads ? [] : [row('Threads', threads)]),
    ...((before.name ?? null) === (after.name ?? null)
      ? []
      : [row('Name', ({ name }) => [name == null ? 'none' : strong(name)])]),
  ];
}

/** In one order: stored settings come back with their fields in any, and people from a form in another. */
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
  if (delivery.when === 'live') return [delivery.when];
  const except = sorted(delivery.except ?? []);
  if (delivery.when === 'hourly') return [delivery.when, except];
  return [delivery.when, delivery.at, delivery.zone, delivery.weekdays === true, except];
}

function isSame(before: readonly unknown[], after: readonly unknown[]): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}
