import { hash } from 'node:crypto';
import type { Notification } from './notification.ts';

/** What is remembered of an item between its events: its last name, its path including that name, and the ids along that path. */
export type Remembered = {
  readonly name: string | null;
  readonly path: string | null;
  readonly idPath: string | null;
};

/** What an item was before it was last renamed or moved, and when that happened, in ISO 8601; null if the service did not say. */
export type PreviousState = Remembered & { readonly changedAt: string | null };

/** The longest name that is part of a key, in UTF-16 units: the key is indexed, and Postgres indexes no more than 2,700 bytes. */
const longestInKey = 300;

/** Returns the key under which a channel's memory stores an item; null if the event does not identify one. */
export function itemKey(
  event: Pick<Notification, 'resourceType' | 'projectId' | 'sessionId' | 'itemId' | 'name'>,
): string | null {
  const parent = event.projectId ?? event.sessionId;
  switch (event.resourceType) {
    case 'Projects':
      return event.projectId === null ? null : `project:${event.projectId}`;
    case 'Sessions':
      return event.sessionId === null ? null : `session:${event.sessionId}`;
    default: {
      const item = event.itemId ?? shortened(event.name);
      return parent === null || item === null ? null : `${event.resourceType}:${parent}:${item}`;
    }
  }
}

function shortened(name: string | null): string | null {
  return name === null || name.length <= longestInKey ? name : hash('sha256', name);
}

/** Returns the key under which a channel's memory stores a file or folder. */
export function projectItemKey(projectId: string | null, itemId: string): string {
  return `ProjectItems:${projectId}:${itemId}`;
}

/** Returns the key under which a channel's memory stores a document of a session. */
export function documentKey(sessionId: string, documentId: string): string {
  return `SessionDocuments:${sessionId}:${documentId}`;
}

/** Returns the key under which a channel's memory stores a project or session; of an event or target, the one that it is of. */
export function parentKey({
  projectId = null,
  sessionId = null,
}: Partial<Pick<Notification, 'projectId' | 'sessionId'>>): string {
  return projectId === null ? `session:${sessionId}` : `project:${projectId}`;
}

/** Returns the keys of everything that must be remembered to say what an event did. */
export function rememberedKeys(event: Notification): string[] {
  const key = itemKey(event);
  const parent = parentKey(event);
  return key === null || key === parent ? [parent] : [key, parent];
}
