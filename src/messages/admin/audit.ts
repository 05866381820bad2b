import type { HomeView } from '@slack/types';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import { actionIds, callbackIds } from '../text/action-ids.ts';
import { describeTarget, type Who, whoIs } from '../text/copy.ts';
import { limits } from '../text/limits.ts';
import { actions, button, context, plainText, section } from '../text/message.ts';
import { channel, type Phrase, plainly, time } from '../text/phrase.ts';

/** Something that was done, as the list shows it. */
export type AuditLine = {
  readonly at: Date;
  /** Null where an operator did it by a command. */
  readonly by: Who | null;
  /** As it is stored. */
  readonly act: string;
  /** Null where it was done in no channel. */
  readonly channelId: string | null;
  /** The subscription it was done to; null where it was done to none, or to one that is not stored any more. */
  readonly subscribed: Subscribed | null;
};

/** What was done in the workspace, the newest first, in place of the admin's own Home tab. `olderValue` leads to what was done before. */
export function auditView({
  lines,
  isNewest,
  olderValue,
  metadata,
}: {
  readonly lines: readonly AuditLine[];
  readonly isNewest: boolean;
  readonly olderValue: string | null;
  readonly metadata: string;
}): HomeView {
  return {
    type: 'home',
    callback_id: callbackIds.home,
    private_metadata: metadata,
    blocks: [
      { type: 'header', text: plainText('Audit log', limits.headerText) },
      actions([
        button({
          actionId: actionIds.workspaceBack,
          label: '← My subscriptions',
        }),
        ...(isNewest ? [] : [button({ actionId: actionIds.auditNewest, label: 'Newest' })]),
        ...(olderValue === null
          ? []
          : [
              button({
                actionId: actionIds.auditOlder,
                label: 'Older',
                value: olderValue,
                spokenAfter: [' entries'],
              }),
            ]),
      ]),
      ...(lines.length === 0
        ? [section([['Nothing has been done yet.']])]
        : lines.map((line) => section([lineWords(line)]))),
      context(['Without what was done in private channels you aren’t in and in direct messages.']),
    ],
  };
}

function lineWords({ at, by, act, channelId, subscribed }: AuditLine): Phrase {
  const who: Phrase = by === null ? ['An operator'] : whoIs(by);
  const what: Phrase = subscribed === null ? [] : [' ', ...describeTarget(subscribed)];
  const where: Phrase = channelId === null ? [] : [' in ', channel(channelId)];
  return [
    time(at),
    ' · ',
    ...who,
    ' ',
    ...(acts[act] === undefined ? [plainly(act)] : [acts[act]]),
    ...what,
    ...where,
  ];
}

/** What each act is called. One that another release has written is shown as it is stored. */
const acts: Readonly<Record<string, string>> = {
  subscribe: 'added',
  'change subscription': 'changed',
  unsubscribe: 'removed',
  'pause subscription': 'paused',
  'resume subscription': 'resumed',
  'change settings': 'changed the settings',
  'allowed request': 'allowed a request',
  'declined request': 'declined a request',
  'replay dead letters': 'retried failed messages',
  'show all in shared channel': 'allowed full names and paths',
  'shorten in shared channel': 'had names and paths shortened',
  'import subscriptions': 'imported subscriptions',
  'pause hidden subscriptions': 'paused all subscriptions in private channels and direct messages',
  'remove channel': 'removed all data of the channel',
  'remove person': 'removed all data of a person',
};
