import type { Overflow } from '@slack/types';
import { type Change, someone } from '../../core/model/change.ts';
import { menu } from '../text/message.ts';
import { inPlain, plainly } from '../text/phrase.ts';
import { actorOf } from './deeds.ts';
import { actorKey, areOfOne } from './grouping.ts';

/** Everything that a menu can offer. */
export const menuActs = ['mute-item', 'hide-person', 'follow-item', 'edit-shown', 'why-message'] as const;

/** An entry in the menu of an activity message. */
export type MenuAct = (typeof menuActs)[number];

/** Returns the menu of a message about these changes; null if no offer applies, or if the first change is not a stored event. */
export function activityMenu(changes: readonly Change[], offers: readonly MenuAct[]): Overflow | null {
  const [first] = changes;
  if (!first || first.eventId === null) return null;
  const isItem = first.kind !== 'project' && first.kind !== 'session' && first.kind !== 'other';
  // Nothing more comes of what was deleted.
  const isOne = areOfOne(changes) && changes.at(-1)?.verb !== 'deleted';
  const hidden = nameToHide(changes);
  const labels: Record<MenuAct, string | null> = {
    'mute-item': isOne && (isItem || first.kind === 'session') ? `Mute this ${first.kind} here` : null,
    'hide-person': hidden === null ? null : `Hide ${hidden} changes here`,
    'follow-item': isOne && isItem && first.kind !== 'document' ? 'Follow it in a DM' : null,
    'edit-shown': 'Edit subscription',
    'why-message': 'Why am I seeing this?',
  };
  const { eventId: seq } = first;
  const entries = menuActs.flatMap((act) => {
    const label = offers.includes(act) ? labels[act] : null;
    return label === null ? [] : [{ label, request: act === 'why-message' ? { act } : { act, seq } }];
  });
  return entries.length === 0 ? null : menu(entries);
}

/** Returns "Dana Ek’s" if one known person made all changes, "this person’s" if their name may not be shown; else null. */
function nameToHide(changes: readonly Change[]): string | null {
  const people = new Set(changes.map(actorKey));
  const [first] = changes;
  if (people.size !== 1 || !first || first.actorEmail === null) return null;
  const name = actorOf(first);
  return name === someone ? 'this person’s' : `${inPlain([plainly(name)], nameMost)}’s`;
}

/** The longest name, which leaves room for the other words in an option of 75 characters. */
const nameMost = 50;
