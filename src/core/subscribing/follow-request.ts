import type { ShownEvent } from '../channels/exclude.ts';
import type { SubscribeRequest } from '../model/request.ts';
import { isName } from '../model/typed-text.ts';

/**
 * Returns what `/subscribe file … to me` asks for, for the item of an event; null for what cannot be followed on its own. An item that is not
 * known to be a folder counts as a file.
 */
export function followRequest({ event, change }: ShownEvent): SubscribeRequest | null {
  const { projectId, itemId } = event.notification;
  const { kind, name } = change;
  if (projectId === null || itemId === null) return null;
  if (kind !== 'folder' && kind !== 'file' && kind !== 'item') return null;
  return {
    act: 'subscribe',
    personal: true,
    target: { kind: kind === 'folder' ? 'folder' : 'file', projectId, itemId },
    comprehensive: true,
    filters: {},
    name: name !== null && isName(name) ? name : undefined,
  };
}
