import { trimSlashes } from '../../lib/trim-slashes.ts';
import type { KnownFolder } from '../../messages/subscribing/form-values.ts';
import type { Notification } from '../model/notification.ts';

/**
 * Returns the folders that notifications name, each once, sorted by path. `notifications` is sorted newest first; the first one to name
 * a folder determines its path.
 *
 * Folder ids are only in `IdPath`, "ids from root folder down to the item" (service interface), so names come from a `Path` that has
 * the same number of parts. The root is the project itself, not one of its folders.
 */
export function knownFolders(notifications: readonly Notification[]): KnownFolder[] {
  const folders = new Map<string, readonly string[]>();
  for (const { path, idPath, itemType, resourceType } of notifications) {
    if (resourceType !== 'ProjectItems') continue;
    const names = partsOf(path);
    const ids = partsOf(idPath);
    if (names.length !== ids.length) continue;
    const end = itemType === 'folder' ? ids.length : ids.length - 1;
    for (const [index, id] of ids.slice(0, end).entries()) {
      if (index > 0 && !folders.has(id)) folders.set(id, names.slice(1, index + 1));
    }
  }
  return [...folders]
    .map(([id, path]) => ({ id, path }))
    .toSorted((a, b) => a.path.join('/').localeCompare(b.path.join('/')));
}

function partsOf(path: string | null): string[] {
  return trimSlashes(path ?? '')
    .split('/')
    .filter((part) => part !== '');
}
