import type { Overflow } from '@slack/types';
import { type Change, someone } from '../../core/model/change.ts';
import { actionIds } from '../text/action-ids.ts';
import { menu } from '../text/message.ts';
import { inPlain, plainly } from '../text/phrase.ts';
import { actorKey } from './grouping.ts';
import { actorOf } from './sentences.ts';

const acts = ['mute', 'skip', 'follow', 'edit', 'why'] as const;

/** What can be chosen in the menu of an activity message. */
export type MenuAct = (typeof acts)[number];

/**
 * The menu of a message about these changes; null where none of them is a stored event.
 *
 * @param offersFollowing whether following in a direct message is offered: not where the message stands in one
 */
export function activityMenu(changes: readonly Change[], offersFollowing: boolean): Overflow | null {
  const [first] = changes;
  if (!first || first.eventId === null) return null;
  const value = (act: MenuAct) => `${act}:${first.eventId}`;
  const isOne = changes.length === 1;
  const isItem = first.kind !== 'project' && first.kind !== 'session' && first.kind !== 'other';
  const skipped = nameToSkip(changes);
  const kind = first.kind;
  return menu(actionIds.activityMenu, [
    ...(isOne && isItem ? [{ label: `Mute this ${kind} here`, value: value('mute') }] : []),
    ...(skipped === null ? [] : [{ label: `Skip ${skipped} changes here`, value: value('skip') }]),
    ...(isOne && isItem && offersFollowing ? [{ label: 'Follow it in a DM', value: value('follow') }] : []),
    { label: 'Edit subscription', value: value('edit') },
    { label: 'Why am I seeing this?', value: value('why') },
  ]);
}

/** Reads back what was chosen; null of what is no such value. */
export function readMenuValue(value: string): { readonly act: MenuAct; readonly eventId: string } | null {
  const [, act, eventId] = /^([a-z]+):(\d{1,19})$/.exec(value) ?? [];
  const known = acts.find((name) => name === act);
  return known === undefined || eventId === undefined ? null : { act: known, eventId };
}

/** "Dana Ek’s" where one person did all of it and is named, "this person’s" where the name may not be shown; null where several did. */
function nameToSkip(changes: readonly Change[]): string | null {
  const people = new Set(changes.map(actorKey));
  const [first] = changes;
  if (people.size !== 1 || !first || first.actorEmail === null) return null;
  const name = actorOf(first);
  return name === someone ? 'this person’s' : `${inPlain([plainly(name)], nameMost)}’s`;
}

/** Leaves room for the words around it in an option of 75 characters. */
const nameMost = 50;
