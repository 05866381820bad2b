import type { HomeView } from '@slack/types';
import type { AuditAct } from '../../core/model/audit-act.ts';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import { actionIds } from '../text/action-ids.ts';
import { describeTarget, type Who, whoIs } from '../text/copy.ts';
import { actions, button, context, section } from '../text/message.ts';
import { backButton, header, homeTab } from '../text/modal.ts';
import { channel, type Phrase, say, time } from '../text/phrase.ts';

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
      !isNewest && button(actionIds.auditNewest, 'Newest'),
      olderValue !== null &&
        button(actionIds.auditOlder, 'Older', { value: olderValue, spokenAfter: say` entries` }),
    ]),
    ...(lines.length === 0
      ? [section([say`Nothing here yet.`])]
      : lines.map((line) => section([lineWords(line)]))),
    context(say`Doesn’t include private channels you aren’t in, or direct messages.`),
  ]);
}

function lineWords({ at, by, act, channelId, subscribed }: AuditLine): Phrase {
  const who: Phrase = by === null ? say`An operator` : whoIs(by);
  const what: Phrase = subscribed === null ? [] : say` ${describeTarget(subscribed)}`;
  const where: Phrase = channelId === null ? [] : say` in ${channel(channelId)}`;
  const did = Object.hasOwn(acts, act)
    ? acts[act as AuditAct]
    : 'did something this version of Plancast can’t describe';
  return say`${time(at)} · ${who} ${did}${what}${where}`;
}

/** The words for each act. */
const acts = {
  link: 'linked an account',
  unlink: 'unlinked an account',
  subscribe: 'added',
  'change subscription': 'changed',
  unsubscribe: 'removed',
  'pause subscription': 'paused',
  'resume subscription': 'resumed',
  mute: 'muted Plancast',
  unmute: 'unmuted Plancast',
  'mute item': 'muted an item',
  'skip person': 'hid a person’s changes',
  'mute again': 'muted an item or hid a person’s changes again',
  'show again': 'unmuted an item or stopped hiding a person’s changes',
  'change settings': 'changed the settings',
  'allowed request': 'allowed a request',
  'declined request': 'declined a request',
  'replay dead letters': 'retried failed messages',
  'show all in shared channel': 'allowed full names and paths',
  'shorten in shared channel': 'shortened names and paths',
  'import subscriptions': 'imported subscriptions',
  'pause hidden subscriptions': 'paused all subscriptions in private channels and direct messages',
  'remove channel': 'removed all data of the channel',
  'remove person': 'removed all data of a person',
} as const satisfies Record<AuditAct, string>;
