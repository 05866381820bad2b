import type { HomeView } from '@slack/types';
import type { AuditDetail } from '../../core/model/log-fields.ts';
import { isDirect } from '../../core/model/people.ts';
import type { Subscribed } from '../../core/model/subscription.ts';
import { describeTarget, type Who, whoIs } from '../text/copy.ts';
import { actions, context, type Message, messageOf, requestButton, section } from '../text/message.ts';
import { backButton, header, homeTab } from '../text/modal.ts';
import { andMore, channel, joined, type Phrase, plainly, say, sentence, time } from '../text/phrase.ts';

/** An entry of the audit log. */
export type AuditLine = {
  readonly at: Date;
  /** Null if an operator did it with a command. */
  readonly by: Who | null;
  /** As stored. */
  readonly act: string;
  /** Null if it was not done in a channel. */
  readonly channelId: string | null;
  /** The subscription it was done to; null if there was none, or if it is no longer stored. */
  readonly subscribed: Subscribed | null;
  readonly detail: AuditDetail | null;
};

/** Shows the workspace's audit log, newest first, in place of the admin's own Home tab. `olderValue` leads to older entries. */
export function auditView(log: {
  readonly lines: readonly AuditLine[];
  readonly isNewest: boolean;
  readonly olderValue: string | null;
  readonly metadata: string;
}): HomeView {
  const { lines, isNewest, olderValue, metadata } = log;
  return homeTab(metadata, [
    header('Audit log'),
    actions([
      backButton,
      !isNewest && requestButton('Newest', { act: 'audit' }, { variant: 'newest' }),
      olderValue !== null &&
        requestButton('Older', { act: 'audit', before: olderValue }, { spokenAfter: say` entries` }),
    ]),
    ...(lines.length === 0
      ? [section([say`Nothing here yet.`])]
      : lines.map((line) => section([lineWords(line)]))),
    context(say`Doesn’t include private channels you aren’t in, or direct messages.`),
  ]);
}

/** How much of what one message announced is listed. */
const announcedShown = 8;

/** The message announced what people did: says who did what, and when. */
export function whyThisAnnouncement(lines: readonly AuditLine[]): Message {
  return messageOf({
    lines: [
      say`That message announced:`,
      ...lines.slice(0, announcedShown).map((line) => say`• ${lineWords(line)}`),
      ...andMore(lines.length - announcedShown),
    ],
  });
}

/** Returns who did what, and when: "Dana subscribed #plans to Harbour Tower · today at 9:00", "Dana muted Plancast · #plans · today at 9:00". */
function lineWords({ at, by, act, channelId, subscribed, detail }: AuditLine): Phrase {
  const who: Phrase = by === null ? say`An operator` : whoIs(by);
  const did = Object.hasOwn(acts, act)
    ? acts[act as AuditAct]
    : 'did something this version of Plancast can’t describe';
  const isWide = ofWorkspace.some((each) => each === act);
  const place = channelId === null || isDirect(channelId) || isWide ? null : channel(channelId);
  const isObject = act === 'subscribe' || act === 'unsubscribe';
  const object = place && isObject ? say` ${place}` : [];
  const where = place && !isObject ? say` · ${place}` : [];
  const from = act === 'unsubscribe' ? ' from ' : ' to ';
  const what: Phrase = subscribed === null ? [] : say`${from}${describeTarget(subscribed)}`;
  const changes = detail?.changes?.map(
    ({ title, before, after }) => say`${plainly(title)}: ${sentence(after)} (was: ${sentence(before)})`,
  );
  const all: Phrase = changes?.length ? say`: ${joined(changes, '; ')}` : [];
  return say`${who} ${did}${object}${what}${all}${where} · ${time(at)}`;
}

/** They are about no channel, wherever they were done. */
const ofWorkspace: readonly AuditAct[] = ['link', 'unlink', 'change settings', 'import subscriptions'];

/** The words for each act. */
const acts = {
  link: 'linked an account',
  unlink: 'unlinked an account',
  subscribe: 'subscribed',
  'change subscription': 'changed the subscription',
  unsubscribe: 'unsubscribed',
  'pause subscription': 'paused the subscription',
  'resume subscription': 'resumed the subscription',
  mute: 'muted Plancast',
  unmute: 'unmuted Plancast',
  'set quiet hours': 'set quiet hours',
  'end quiet hours': 'turned off quiet hours',
  'mute item': 'muted an item',
  'skip person': 'hid a person’s changes',
  'mute again': 'muted an item or hid a person’s changes again',
  'show again': 'unmuted an item or stopped hiding a person’s changes',
  'change settings': 'changed the workspace’s settings',
  'allowed request': 'allowed a request',
  'declined request': 'declined a request',
  'replay dead letters': 'retried failed messages',
  'show all in shared channel': 'allowed full names and paths',
  'shorten in shared channel': 'shortened names and paths',
  'import subscriptions': 'imported subscriptions',
  'remove channel': 'removed all data of the channel',
  'remove person': 'removed all data of a person',
} as const;

/** What the audit log calls each action. */
export type AuditAct = keyof typeof acts;
