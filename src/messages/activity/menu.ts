import type { Overflow } from '@slack/types';
import { type Change, someone } from '../../core/model/change.ts';
import { actionIds } from '../text/action-ids.ts';
import { menu } from '../text/message.ts';
import { inPlain, plainly } from '../text/phrase.ts';
import { actorOf } from './deeds.ts';
import { actorKey } from './grouping.ts';

/** All that a menu can offer. */
export const menuActs = ['mute', 'skip', 'follow', 'edit', 'why'] as const;

/** What can be chosen in the menu of an activity message. */
export type MenuAct = (typeof menuActs)[number];

/** The menu of a message about these changes, of what is offered; null where nothing is, or none of them is a stored event. */
export function activityMenu(changes: readonly Change[], offers: readonly MenuAct[]): Overflow | null {
  const [first] = changes;
  if (!first || first.eventId === null) return null;
  const isItem = first.kind !== 'project' && first.kind !== 'session' && first.kind !== 'other';
  const isOneItem = changes.length === 1 && isItem;
  const canMute = isOneItem || (changes.length === 1 && first.kind === 'session');
  const skipped = nameToSkip(changes);
  const labels: Record<MenuAct, string | null> = {
    mute: canMute ? `Mute this ${first.kind} here` : null,
    skip: skipped === null ? null : `Skip ${skipped} changes here`,
    follow: isOneItem ? 'Follow it in a DM' : null,
    edit: 'Edit subscription',
    why: 'Why am I seeing this?',
  };
  const entries = menuActs.flatMap((act) => {
    const label = offers.includes(act) ? labels[act] : null;
    return label === null ? [] : [{ label, value: `${act}:${first.eventId}` }];
  });
  return entries.length === 0 ? null : menu(actionIds.activityMenu, entries);
}

/** Reads back what was chosen; null of what is no such value. */
export function readMenuValue(value: string): { readonly act: MenuAct; readonly eventId: string } | null {
  const [, act, eventId] = /^([a-z]+):(\d{1,19})$/.exec(value) ?? [];
  const known = menuActs.find((name) => name === act);
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
