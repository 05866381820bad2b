import type { SwitchBoard } from './switches.ts';

/** The target of a subscription or event. Ids have 9 digits, no hyphens. */
export type Place =
  | { kind: 'project'; primeId: number; projectId: string }
  | { kind: 'item'; primeId: number; projectId: string; itemId: string }
  | { kind: 'session'; primeId: number; sessionId: string }
  | { kind: 'document'; primeId: number; sessionId: string; documentId: string };

/** ParentResourceType and ResourceType of the service interface. */
export const resourceTypes = {
  project: 'Projects',
  item: 'ProjectItems',
  session: 'Sessions',
  document: 'SessionDocuments',
} as const satisfies Record<Place['kind'], string>;

/** Formats `412873550` as requests write it: `412-873-550`. */
export function hyphenated(id: string): string {
  return `${id.slice(0, 3)}-${id.slice(3, 6)}-${id.slice(6)}`;
}

/** Returns the 9 digits without hyphens, or undefined if it is not such an id. */
export function nineDigits(written: string): string | undefined {
  const digits = /^\d{3}-\d{3}-\d{3}$/.test(written) ? written.replaceAll('-', '') : written;
  return /^\d{9}$/.test(digits) ? digits : undefined;
}

/** Returns the Resource path of the service interface, with ids and ending as switched. */
export function resourcePath(place: Place, switches: SwitchBoard): string {
  const id = switches.get('resourceIds') === 'hyphens' ? hyphenated : (digits: string) => digits;
  const end = switches.get('resourceEnd') === 'slash' ? '/' : '';
  const prime = `/Primes/${place.primeId}`;
  switch (place.kind) {
    case 'project':
      return `${prime}/Projects/${id(place.projectId)}${end}`;
    case 'item':
      return `${prime}/Projects/${id(place.projectId)}/ProjectItems/${place.itemId}${end}`;
    case 'session':
      return `${prime}/Sessions/${id(place.sessionId)}${end}`;
    case 'document':
      return `${prime}/Sessions/${id(place.sessionId)}/SessionDocuments/${place.documentId}${end}`;
  }
}

/** Returns whether both are the same place. */
export function samePlace(one: Place, other: Place): boolean {
  return placeKey(one) === placeKey(other);
}

/** Returns whether `inner` is an item or document of `outer`, a project or session. */
export function holds(outer: Place, inner: Place): boolean {
  if (outer.kind === 'project') return inner.kind === 'item' && inner.projectId === outer.projectId;
  if (outer.kind === 'session') return inner.kind === 'document' && inner.sessionId === outer.sessionId;
  return false;
}

function placeKey(place: Place): string {
  switch (place.kind) {
    case 'project':
      return `project ${place.projectId}`;
    case 'item':
      return `item ${place.projectId} ${place.itemId}`;
    case 'session':
      return `session ${place.sessionId}`;
    case 'document':
      return `document ${place.sessionId} ${place.documentId}`;
  }
}
