import type { Notification } from './notification.ts';

/** Returns the key under which a channel's memory stores an item; null if the event does not identify one. */
export function itemKey(event: Notification): string | null {
  const parent = event.projectId ?? event.sessionId;
  switch (event.resourceType) {
    case 'Projects':
      return event.projectId === null ? null : `project:${event.projectId}`;
    case 'Sessions':
      return event.sessionId === null ? null : `session:${event.sessionId}`;
    default: {
      const item = event.itemId ?? event.name;
      return parent === null || item === null ? null : `${event.resourceType}:${parent}:${item}`;
    }
  }
}

/** Returns the key under which a channel's memory stores a file or folder. */
export function projectItemKey(projectId: string | null, itemId: string): string {
  return `ProjectItems:${projectId}:${itemId}`;
}

/** Returns the key under which a channel's memory stores the event's project or session. */
export function parentKey({ projectId, sessionId }: Notification): string {
  return projectId === null ? `session:${sessionId}` : `project:${projectId}`;
}

/** Returns the keys of everything that must be remembered to say what an event did. */
export function rememberedKeys(event: Notification): string[] {
  const key = itemKey(event);
  const parent = parentKey(event);
  return key === null || key === parent ? [parent] : [key, parent];
}
