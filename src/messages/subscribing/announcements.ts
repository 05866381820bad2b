import type { Button } from '@slack/types';
import type { ChannelReason, OwnerReason } from '../../core/model/pause-reason.ts';
import type { QuietHours } from '../../core/model/quiet-hours.ts';
import type { PersonName, Subscribed, TargetKind } from '../../core/model/subscription.ts';
import { undoMinutes } from '../../core/model/undo.ts';
import {
  type Copy,
  conversation,
  describeDelivery,
  describeFilters,
  describePause,
  describePing,
  describeQuiet,
  describeRemedy,
  describeScope,
  describeSettings,
  describeTarget,
  listTargets,
  nameTarget,
  type Pause,
  type SubscriptionSettings,
  type Who,
  whoIs,
} from '../text/copy.ts';
import { button, type Message, messageOf, notice, present, requestButton } from '../text/message.ts';
import {
  andMore,
  capital,
  channel,
  counted,
  type Phrase,
  quoted,
  say,
  strong,
  time,
  typed,
} from '../text/phrase.ts';
import { type NamedRow, personalButtons, rowButton } from './row-buttons.ts';

/** A subscription that a member made or changed. `undoValue`: of its Undo button. */
type Announced = NamedRow & { readonly by: Who; readonly undoValue: string };

/** A member subscribed the channel, or themselves in their direct message with the bot. */
export function subscriptionMade(made: Announced & { readonly settings: SubscriptionSettings }): Message {
  const { by, subscribed, settings } = made;
  const what = nameTarget(subscribed);
  return messageOf({
    lines: [by.isReader ? say`You now follow ${what}.` : say`${whoIs(by)} added ${what} to this channel.`],
    small: [say`${scopeOf(subscribed)}${describeSettings(reportedOf(subscribed, settings))}.`],
    buttons: changeButtons(made),
  });
}

/** A member changed a subscription. Lists each changed option with its previous value. `from`: the previous owner, if that changed, too. */
export function subscriptionChanged(
  changed: Announced & { readonly from?: Who | null | undefined; readonly change: SettingsChange },
): Message {
  const { by, from = null, subscribed, change } = changed;
  const isOtherScope = change.before.comprehensive !== change.after.comprehensive;
  const what = isOtherScope ? nameTarget(subscribed) : describeTarget(subscribed);
  return messageOf({
    lines: [
      say`${whoIs(by)} changed the subscription to ${what}:`,
      ...differences(change, subscribed.target.kind),
    ],
    small: [from !== null && say`${whoIs(by)} owns it now instead of ${whoIs(from)}.`],
    buttons: changeButtons(changed),
  });
}

/** Returns "Project and contents. ", to precede the settings; of a document, what the service reports of it (service interface). */
function scopeOf({ target, comprehensive }: Subscribed): Phrase {
  if (target.kind === 'document') return say`The service reports only the deletion of a single document. `;
  return say`${capital([describeScope(target.kind, comprehensive)])}. `;
}

/** Returns the settings without events that are never reported: a message must not promise them. */
function reportedOf({ target }: Subscribed, settings: SubscriptionSettings): SubscriptionSettings {
  const { filters } = settings;
  if (target.kind !== 'document' || filters.only.length > 0) return settings;
  return { ...settings, filters: { ...filters, only: ['delete'] } };
}

/** Edit, Stop following for a person's own, and Undo. */
function changeButtons(row: Announced): readonly Button[] {
  return [
    ...(row.by.isReader ? personalButtons(row) : [rowButton('edit', row)]),
    button('undo-change', 'Undo', {
      value: row.undoValue,
      spokenAfter: say`: ${describeTarget(row.subscribed)}`,
    }),
  ];
}

/** How many subscriptions are named; the others are counted. */
const namesShown = 10;

/** Returns "the subscription to *Harbour Tower*", or "3 subscriptions" with a line for each to list below. */
function named(subscribed: readonly Subscribed[]): { readonly words: Phrase; readonly list: Phrase[] } {
  const [only, ...others] = subscribed;
  if (only && others.length === 0)
    return { words: say`the subscription to ${describeTarget(only)}`, list: [] };
  return {
    words: [counted(subscribed.length, 'subscription')],
    list: [...listTargets(subscribed.slice(0, namesShown)), ...andMore(subscribed.length - namesShown)],
  };
}

/** A member removed subscriptions. `undoValue` adds a button that restores all of them with their options. */
export function subscriptionsRemoved(
  by: Who,
  subscribed: readonly Subscribed[],
  undoValue?: string,
): Message {
  const { words, list } = named(subscribed);
  return messageOf({
    lines: [say`${whoIs(by)} removed ${words}${list.length > 0 ? ':' : '.'}`, ...list],
    small: [
      undoValue !== undefined &&
        say`Undo within ${counted(undoMinutes, 'minute')} restores ${list.length > 0 ? 'their' : 'its'} settings too.`,
    ],
    buttons: [
      undoValue !== undefined &&
        button('undo-removal', 'Undo', { value: undoValue, spokenAfter: say` the removal of ${words}` }),
    ],
  });
}

/** A person paused subscriptions of a conversation. `toList`: the full command that lists them. */
export function subscriptionsPausedBy(by: Who, rows: readonly NamedRow[], toList: string): Message {
  const { words, list } = named(rows.map(({ subscribed }) => subscribed));
  const [only] = rows;
  const isOne = list.length === 0;
  return messageOf({
    lines: [say`${whoIs(by)} paused ${words}${isOne ? '.' : ':'}`, ...list],
    small: [
      isOne
        ? summaryOnResume(true)
        : say`Resume them in ${typed(toList)}. You’ll get one summary of up to a week.`,
    ],
    buttons: [isOne && only !== undefined && rowButton('resume', only)],
  });
}

function summaryOnResume(isOne: boolean): Phrase {
  return say`When ${isOne ? 'it resumes' : 'they resume'}, you’ll get one summary of up to a week.`;
}

/** Subscriptions wait for their owner: says why and what ends that, with a button to take all of them over, or for the owner to link again. */
export function subscriptionsWaiting(
  rows: readonly NamedRow[],
  pause: Pause & { readonly reason: OwnerReason; readonly owner: Who },
  copy: Copy,
): Message {
  const { words, list } = named(rows.map(({ subscribed }) => subscribed));
  const isOne = list.length === 0;
  return messageOf({
    lines: [
      say`${capital(words)} ${isOne ? 'is' : 'are'} ${describePause(pause)}.`,
      ...list,
      describeRemedy(pause, copy, '', rows.length),
    ],
    // For the other reasons the service has stopped sending, so there will be nothing to summarize.
    small: [pause.reason === 'link lost' && summaryOnResume(isOne)],
    buttons: [
      pause.owner.isReader
        ? needsLink(pause) && requestButton('Link again', { act: 'link' }, { style: 'primary' })
        : takeOverAll(rows, pause.owner),
    ],
  });
}

const needsLink = ({ reason }: Pause): boolean => reason === 'link lost' || reason === 'unlinked';

function takeOverAll(rows: readonly NamedRow[], { userId: ownerUserId }: Who): Button {
  const [only, ...others] = rows;
  if (only && others.length === 0) return rowButton('take-over', only);
  return requestButton(`Take over all ${rows.length}`, { act: 'take-over-all', ownerUserId });
}

/** A pause ended, automatically or through `by`. `missed`: how many changes were held, which a summary shows next; null if unknown. */
export function subscriptionResumed(subscribed: Subscribed, missed: number | null, by?: Who): Message {
  const begin = by ? say`${whoIs(by)} resumed the subscription to ` : say`Resumed: `;
  return notice`${begin}${describeTarget(subscribed)}.${missedWords(missed)}`;
}

/** The resource was deleted, or the service can’t find it anymore, which can have other causes. */
export function subscriptionEnded(subscribed: Subscribed, why?: 'deleted' | 'not found'): Message {
  const notFound = say`the service can’t find it anymore`;
  const because = why === 'not found' ? notFound : say`the ${subscribed.target.kind} was deleted`;
  return notice`Subscription to ${describeTarget(subscribed)} ended: ${because}.`;
}

/** Another member took the subscription over; it now uses their link. */
export function subscriptionTakenOver(taken: {
  readonly by: Who;
  readonly from: Who;
  readonly subscribed: Subscribed;
}): Message {
  return messageOf({
    lines: [
      say`${whoIs(taken.by)} took over the subscription to ${describeTarget(taken.subscribed)} from ${whoIs(taken.from)}.`,
    ],
    small: [say`Its settings stay the same.`],
  });
}

/** Says what was missed, unless a summary in the same message does. */
function missedWords(missed: number | null) {
  if (missed === null) return ' I don’t know what changed in the meantime.';
  return missed === 0 ? ' No changes in the meantime.' : '';
}

/** The bot can no longer post in the channel: sent to an owner about all of their subscriptions there. */
export function channelClosed(closed: {
  readonly channelId: string;
  readonly subscribed: readonly Subscribed[];
  readonly reason: ChannelReason;
  readonly botName: string;
  readonly copy: Copy;
}): Message {
  const { channelId, subscribed, reason, botName, copy } = closed;
  const isOne = subscribed.length === 1;
  const yours = isOne ? 'subscription' : counted(subscribed.length, 'subscription');
  const pause = { reason, owner: null };
  return messageOf({
    lines: [
      say`Your ${yours} in ${channel(channelId)} ${isOne ? 'is' : 'are'} ${describePause(pause)}.`,
      ...listTargets(subscribed),
      describeRemedy(pause, copy, botName, subscribed.length),
    ],
    small: [summaryOnResume(isOne)],
  });
}

/** The channel was deleted, and its subscriptions with it: sent to an owner about all of their subscriptions there. */
export function channelDeleted(channelId: string, subscribed: readonly Subscribed[]): Message {
  const have = subscribed.length === 1 ? 'subscription there has' : 'subscriptions there have';
  return messageOf({
    lines: [
      say`The channel ${channel(channelId)} was deleted, so your ${have} ended:`,
      ...listTargets(subscribed),
    ],
    small: [say`To keep getting changes, subscribe in another channel.`],
  });
}

/** The bot can post in the channel again. `missed`: how many changes were held, which a summary shows next; null if some may be unknown. */
export function channelResumed(subscribed: readonly Subscribed[], missed: number | null): Message {
  const { words, list } = named(subscribed);
  return messageOf({ lines: [say`I’m posting here again for ${words}.${missedWords(missed)}`, ...list] });
}

const showEverything = {
  title: 'Show everything here?',
  text: say`People outside your organization will see email addresses, full folder paths and links.`,
  yes: 'Show everything',
  style: 'primary',
} as const;

/** The channel is shared with another organization: says what is hidden from now on, with a button that shows it again. */
export const channelShared = messageOf({
  lines: [
    say`This channel is shared with another organization. From now on, people without a Slack name in this workspace appear as ${quoted('someone')}, and paths are shortened to their last folder.`,
  ],
  small: [say`Anyone who can change this channel’s subscriptions can show everything.`],
  buttons: [
    requestButton('Show everything', { act: 'show-in-shared', all: true }, { confirm: showEverything }),
  ],
});

/** A member chose how much is shown in a shared channel. */
export function sharedChannelShows(by: Who, all: boolean): Message {
  const allowed = say`${whoIs(by)} allowed full names and folder paths in this shared channel.`;
  const shortened = say`${whoIs(by)} shortened names and folder paths in this shared channel again.`;
  return messageOf({
    lines: [all ? allowed : shortened],
    buttons: [requestButton(all ? 'Shorten again' : 'Show everything', { act: 'show-in-shared', all: !all })],
  });
}

/** A member muted the conversation. */
export function channelMuted(by: Who, until: Date): Message {
  return messageOf({
    lines: [say`${whoIs(by)} muted ${by.isReader ? 'me' : 'this channel'} until ${time(until)}.`],
    small: [say`I’ll post a summary when the mute ends.`],
    buttons: [requestButton('Unmute', { act: 'unmute' })],
  });
}

/** A member ended the mute, or quiet hours that begin again at `quietAgain`. A summary of `waiting` changes follows. */
export function channelUnmuted(by: Who, waiting: number, quietAgain: Date | null = null): Message {
  const what = by.isReader ? 'me' : 'this channel';
  return messageOf({
    lines: [say`${whoIs(by)} unmuted ${what}.${missedWords(waiting)}`],
    small: [quietAgain !== null && say`Quiet hours begin again ${time(quietAgain)}.`],
  });
}

/** A member set quiet hours. */
export function quietHoursSet(by: Who, hours: QuietHours): Message {
  return messageOf({
    lines: [say`${whoIs(by)} set quiet hours for ${conversation(by.isReader)}: ${describeQuiet(hours)}.`],
    small: [say`When they end, I’ll post one summary.`],
    buttons: [requestButton('Turn off', { act: 'quiet', hours: 'off' }, { spokenAfter: say` quiet hours` })],
  });
}

/** A member turned quiet hours off. If changes were held, a summary of them follows, once no mute keeps them until `mutedUntil`. */
export function quietHoursOff(by: Who, mutedUntil: Date | null): Message {
  return messageOf({
    lines: [say`${whoIs(by)} turned off quiet hours for ${conversation(by.isReader)}.`],
    small: [mutedUntil !== null && say`I’m still muted here until ${time(mutedUntil)}.`],
    buttons: [mutedUntil !== null && requestButton('Unmute', { act: 'unmute' })],
  });
}

/** The options of a subscription, before and after. */
export type SettingsChange = {
  readonly before: Options;
  readonly after: Options;
};

/** `name` is null if none is known. */
type Options = SubscriptionSettings & {
  readonly comprehensive: boolean;
  readonly name?: string | null | undefined;
};

/** Whether two settings differ in nothing that a person would notice. */
export function isSameSettings(change: SettingsChange): boolean {
  // The kind affects only the words.
  return differences(change, 'project').length === 0;
}

/** Returns each difference as a line of a list, with the previous value. `kind`: what the subscription follows. */
export function differences({ before, after }: SettingsChange, kind: TargetKind): readonly Phrase[] {
  const now = (value: Phrase, was: Phrase): Phrase => say`• Now ${value} (was: ${was})`;
  const scope = ({ comprehensive }: Options): Phrase =>
    kind === 'document' ? [] : [describeScope(kind, comprehensive)];
  const filters = (settings: Options) => describeFilters(settings.filters, settings.names);
  const mentions = ({ ping, names }: Options) => (ping ? describePing(ping, names) : say`nobody`);
  const differ = (keyOf: (settings: Options) => unknown) =>
    JSON.stringify(keyOf(before)) !== JSON.stringify(keyOf(after));
  return present<Phrase>([
    before.comprehensive !== after.comprehensive && now(scope(after), scope(before)),
    differ(filtersKey) && now(say`posting ${filters(after)}`, filters(before)),
    differ(deliveryKey) &&
      now(say`posting changes ${describeDelivery(after.delivery)}`, describeDelivery(before.delivery)),
    before.threads !== after.threads &&
      (after.threads
        ? say`• Later changes to an item now go into its thread`
        : say`• Later changes to an item no longer go into its thread`),
    differ(pingKey) && now(say`mentioning ${mentions(after)}`, mentions(before)),
    ...renamed(before.name ?? null, after.name ?? null),
  ]);
}

function renamed(before: string | null, after: string | null): Phrase[] {
  if (before === after) return [];
  if (after === null) return [say`• No longer called ${strong(before ?? '')}`];
  return [say`• Now called ${strong(after)}${before === null ? [] : say` (was: ${strong(before)})`}`];
}

/** Sorts the filters for comparison, because stored settings and forms list them in different orders. */
function filtersKey({ filters: { only, paths, by, notBy } }: SubscriptionSettings): readonly unknown[] {
  return [sorted(only), paths, sorted(by.map(personKey)), sorted(notBy.map(personKey))];
}

function sorted(keys: readonly string[]): readonly string[] {
  return keys.toSorted((a, b) => a.localeCompare(b));
}

function personKey(person: PersonName): string {
  return 'email' in person ? person.email.toLowerCase() : person.userId;
}

function pingKey({ ping }: SubscriptionSettings): readonly unknown[] {
  return ping ? [ping.kind, ping.id, sorted(ping.on)] : [];
}

function deliveryKey({ delivery }: SubscriptionSettings): readonly unknown[] {
  if (delivery.when === 'live') return [delivery.when];
  const except = sorted(delivery.except ?? []);
  if (delivery.when === 'hourly') return [delivery.when, except];
  const days = delivery.when === 'weekly' ? delivery.day : delivery.weekdays === true;
  return [delivery.when, delivery.at, delivery.zone, days, except];
}
