import { someone } from '../../core/model/change.ts';
import type { TargetKind } from '../../core/model/subscription.ts';
import { type Who, whoIs } from '../text/copy.ts';
import { type Message, messageOf, notice, requestButton } from '../text/message.ts';
import { item, type Phrase, person, place, say } from '../text/phrase.ts';

/** What is not posted in a channel: a muted item with its contents, or a hidden person's changes. */
export type ExcludedThing =
  | {
      readonly kind: 'item';
      readonly itemKind: TargetKind | 'item' | 'other';
      readonly name: string | null;
      readonly folder: readonly string[] | null;
    }
  | {
      readonly kind: 'person';
      readonly name: string;
      /** Whether they hide their own changes. */
      readonly isSelf?: boolean;
    };

/** Returns "*A-103.pdf*", "folder *Level 1*", "*Sam Okafor*’s changes". `inFolder` adds " in Plans › Level 1", for lists. */
export function describeExcluded(thing: ExcludedThing, { inFolder = false } = {}): Phrase {
  if (thing.kind === 'person')
    return say`${thing.name === someone ? 'someone' : person(thing.name)}’s changes`;
  const { name, itemKind, folder } = thing;
  const within: Phrase = inFolder && folder && folder.length > 0 ? say` in ${place(folder)}` : [];
  const noun = itemKind === 'other' ? 'item' : itemKind;
  if (name === null) return say`an unnamed ${noun}${within}`;
  return itemKind === 'file' ? [item(name), ...within] : say`${noun} ${item(name)}${within}`;
}

/** What a member did: items are muted, people's changes are hidden. */
const deeds = {
  item: { exclude: ' muted ', include: ' unmuted ', showAgain: 'Unmute' },
  person: { exclude: ' hid ', include: ' stopped hiding ', showAgain: 'Show again' },
} as const;

/** A member muted or unmuted something in a channel, whose id is `value`. */
export function exclusionChanged(changed: {
  readonly by: Who;
  readonly thing: ExcludedThing;
  readonly isMuted: boolean;
  readonly value: string;
}): Message {
  const { by, thing, isMuted, value } = changed;
  const where = by.isReader ? ' here.' : ' in this channel.';
  const own = by.isReader ? 'your own changes' : 'their own changes';
  const isOwn = thing.kind === 'person' && thing.isSelf;
  const words: Phrase = [...(isOwn ? [own] : describeExcluded(thing)), where];
  const did = deeds[thing.kind];
  return messageOf({
    lines: [[...whoIs(by), isMuted ? did.exclude : did.include, ...words]],
    buttons: [
      isMuted &&
        requestButton(did.showAgain, { act: 'show-again', id: value }, { spokenAfter: [': ', ...words] }),
    ],
  });
}

/** The channel has the maximum of muted items and hidden people. */
export function tooManyExclusions(most: number): Message {
  return messageOf({
    lines: [
      say`This channel has reached the limit of ${most} muted items and hidden people. Show some again, or edit the subscription.`,
    ],
    buttons: [requestButton('Show subscriptions', { act: 'list' })],
  });
}

const unknowns = {
  item: 'The service didn’t say which item this is, so I can’t mute it.',
  person: 'The service didn’t say who did this, so I can’t hide their changes.',
} as const;

/** The change does not identify its item or person. */
export function cannotExclude(what: keyof typeof unknowns): Message {
  return notice`${unknowns[what]}`;
}

/** The menu of an older message was used after its item was deleted. */
export const itemDeleted = notice`That was deleted, so there’s nothing to mute or follow.`;

/** The menu was used of a message about something that has no id of its own, or about a session document. */
export const cannotFollow = notice`This can’t be followed on its own.`;

/** The details of a message have been deleted since. */
export const changeForgotten = notice`The details of this change are no longer stored. Use the menu of a newer message.`;
