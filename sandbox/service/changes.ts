import type { Place } from './resources.ts';

/** Why something changed: the causes in the interface's table of events; `other` is for event types yet unknown. */
export type Cause =
  | 'create'
  | 'rename'
  | 'move'
  | 'check-in'
  | 'expiry'
  | 'finalize'
  | 'add'
  | 'delete'
  | 'other';

/** What changed, as it is after the change (for a deletion: as it was last). */
export type Subject = {
  place: Place;
  name: string;
  /** For project items: what it is, and ids and names from the root folder down to it. */
  item?: { kind: 'File' | 'Folder'; ids: readonly string[]; names: readonly string[] } | undefined;
};

export type Change = {
  /** E-mail of the user who made it. */
  by: string;
  cause: Cause;
  subject: Subject;
  /** Where the cause is `other`: what the notification is to say. */
  eventType?: string | undefined;
  resourceType?: string | undefined;
};

/** Service interface, Events: which EventType each cause has. */
export function eventTypeOf(change: Change): string {
  if (change.eventType !== undefined) return change.eventType;
  if (change.cause === 'create' || change.cause === 'add') return 'Create';
  return change.cause === 'delete' ? 'Delete' : 'Update';
}
