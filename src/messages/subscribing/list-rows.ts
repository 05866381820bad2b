import type { ActionsBlock, KnownBlock } from '@slack/types';
import type { RemoteTrouble, Trouble } from '../../core/model/pause-reason.ts';
import type { Subscribed, SubscriptionState, Target } from '../../core/model/subscription.ts';
import {
  describePause,
  describePosting,
  describeScope,
  nameTarget,
  type Pause,
  type SubscriptionSettings,
  type Who,
  whoIs,
} from '../text/copy.ts';
import { mrkdwn, present } from '../text/message.ts';
import {
  capital,
  counted,
  inMrkdwn,
  inText,
  joined,
  type Phrase,
  quoted,
  say,
  time,
} from '../text/phrase.ts';

/** A subscription in a list. */
export type ListedSubscription = {
  /** The value of its buttons. */
  readonly id: string;
  readonly subscribed: Subscribed;
  /** Who made it, or took it over. */
  readonly owner: Who;
  readonly settings: SubscriptionSettings;
  readonly state: SubscriptionState;
  /** Set while it is paused. */
  readonly pause?: Pause | undefined;
  /** The most important thing that is wrong with it. */
  readonly trouble?: Trouble | RemoteTrouble | undefined;
  readonly lastEventAt: Date | null;
  /** How many messages with its changes were posted a day in the last 7 days; undefined if it is younger than that. */
  readonly messagesADay?: number | undefined;
};

/** How many characters a row has in each line of its head, and in the line below: ten such rows fit into a message. */
const room = { head: 230, details: 300 };

/** Returns "*Harbour Tower* · project and contents". */
function nameInList(subscribed: Subscribed): Phrase {
  const { target, comprehensive } = subscribed;
  const name = capital(nameTarget(subscribed));
  return target.kind === 'document' ? name : say`${name} · ${describeScope(target.kind, comprehensive)}`;
}

/** Renders rows with dividers between them: name and health, then in gray who added it and what is posted, which is cut at the end. */
export function listRows<Row extends ListedSubscription>(
  rows: readonly Row[],
  controlsOf: (row: Row) => ActionsBlock | null,
): KnownBlock[] {
  return rows.flatMap((row, index): KnownBlock[] => {
    const name = [nameInList(row.subscribed), healthOf(row)].map((line) => inMrkdwn(line, room.head));
    const posted = joined([addedBy(row), capital(describePosting(row.settings))], ' · ');
    return present<KnownBlock>([
      index > 0 && { type: 'divider' },
      { type: 'section', text: mrkdwn(name.join('\n')) },
      { type: 'context', elements: [mrkdwn(inMrkdwn(posted, room.details))] },
      controlsOf(row),
    ]);
  });
}

/** Renders the whole row on one line, for notifications and screen readers. */
export function rowText(row: ListedSubscription): string {
  const parts = [nameInList(row.subscribed), healthOf(row), addedBy(row), describePosting(row.settings)];
  return inText(say`${joined(parts, ', ')}.`, room.head + room.details);
}

function healthOf(row: ListedSubscription): Phrase {
  const { lastEventAt } = row;
  const last: Phrase = lastEventAt === null ? say`no activity yet` : say`last activity ${time(lastEventAt)}`;
  return joined([stateOf(row), last, ...volumeOf(row)], ' · ');
}

function volumeOf({ messagesADay, lastEventAt }: ListedSubscription): Phrase[] {
  if (messagesADay === undefined || lastEventAt === null) return [];
  if (messagesADay === 0) return [say`no messages in the last 7 days`];
  const rounded = Math.round(messagesADay);
  const count = rounded === 0 ? say`less than 1 message` : [counted(rounded, 'message')];
  return [say`${count} a day, last 7 days`];
}

/** Returns the state. Each sign is followed by words that say the same. */
function stateOf(row: ListedSubscription): Phrase {
  const { subscribed, state, pause, trouble } = row;
  switch (state) {
    case 'pending':
      return say`🔵 Setting up`;
    case 'active':
      return trouble === undefined ? say`🟢 Working` : say`🟠 ${describeTrouble(trouble, subscribed.target)}`;
    case 'paused':
      return pause === undefined ? say`🟡 Paused` : say`🟡 ${capital(describePause(pause))}`;
    case 'ended':
      return say`⚪ Ended`;
  }
}

/** Says what keeps a subscription from posting what people expect, without a period. */
export function describeTrouble(trouble: Trouble | RemoteTrouble, { kind }: Target): Phrase {
  switch (trouble.kind) {
    case 'places': {
      const which = kind === 'folder' ? 'folder each change is in' : 'file each change is about';
      return say`Nothing can be posted: the service doesn’t say which ${which}`;
    }
    case 'odd':
      return say`The service reports ${quoted(trouble.status)}`;
    case 'not repaired':
      return say`I can’t repair it at the service yet`;
    case 'unmatched':
      return say`None of the last ${counted(trouble.count, 'change')} match its folders`;
    case 'too many paths':
      return say`Too many folders: changes can be posted late`;
  }
}

function addedBy({ owner }: ListedSubscription): Phrase {
  return say`Added by ${whoIs(owner)}`;
}
