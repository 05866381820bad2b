import { trimSlashes } from '../../lib/text.ts';

/** A notification from the service, parsed leniently and normalized. Numeric ids become decimal strings. */
export type Notification = {
  /** Lower case without braces, or `derived:` and 32 hex digits of the body's SHA-256 if the service sent none. */
  readonly id: string;
  /** Null if the notification named none; `-1`, which no remote subscription has, if what it named is not an id. */
  readonly serviceSubscriptionId: string | null;
  readonly source: string | null;
  /** As sent, except that project and session ids have the form of three groups joined by hyphens. */
  readonly resource: string | null;
  readonly primeId: string | null;
  /** Canonical id of the project or session in `resource`. */
  readonly projectId: string | null;
  readonly sessionId: string | null;
  /** What identifies the item or document: the last id of `IdPath`, else the one in `resource`, else null. */
  readonly itemId: string | null;
  /** ISO 8601 in UTC, or null if it was missing or unreadable. */
  readonly happenedAt: string | null;
  /** The service's word: `Projects`, `ProjectItems`, `Sessions`, `SessionDocuments`, or one this bot does not know. */
  readonly resourceType: string;
  /** The service's word: `Create`, `Update`, `Delete`, or one this bot does not know. */
  readonly eventType: string;
  readonly actorEmail: string | null;
  readonly idPath: string | null;
  readonly path: string | null;
  /** Lower case: `file`, `folder`, or another word of the service. */
  readonly itemType: string | null;
  readonly name: string | null;
};

/**
 * Returns the name of the project's root folder if the item's path begins with it, else null. It is not documented whether `Path` does;
 * `IdPath` does (service interface: "ids from root folder down to the item"), so a `Path` with the same number of parts does, too.
 */
export function rootOf({ path, idPath }: Pick<Notification, 'path' | 'idPath'>): string | null {
  const names = trimSlashes(path ?? '').split('/');
  const ids = trimSlashes(idPath ?? '').split('/');
  return names.length > 1 && names.length === ids.length ? (names[0] ?? null) : null;
}
