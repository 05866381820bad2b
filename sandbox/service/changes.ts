import type { Place } from './resources.ts';

/** Why something changed: the causes in the interface's table of events; `other` is for unknown event types. */
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

/** What changed, in its state after the change (for a deletion: its last state). */
export type Subject = {
  place: Place;
  name: string;
  /** For project items: the kind, and the ids and names from the root folder down to the item. */
  item?: { kind: 'File' | 'Folder'; ids: readonly string[]; names: readonly string[] } | undefined;
};

export type Change = {
  /** Email of the user who made the change. */
  by: string;
  cause: Cause;
  subject: Subject;
  /** For the cause `other`: the EventType of the notification. */
  eventType?: string | undefined;
  resourceType?: string | undefined;
};

/** Returns the EventType of a change (service interface, Events). */
export function eventTypeOf(change: Change): string {
  if (change.eventType !== undefined) return change.eventType;
  if (change.cause === 'create' || change.cause === 'add') return 'Create';
  return change.cause === 'delete' ? 'Delete' : 'Update';
}
