/** A notification of the service, read leniently and brought to one form. Ids that are numbers there are decimal strings here. */
export type Notification = {
  /** Lower case without braces, or `derived:` and 32 hex digits of the body's SHA-256 where the service sent none. */
  readonly id: string;
  readonly serviceSubscriptionId: string | null;
  readonly source: string | null;
  /** As sent, with ids of projects and sessions brought to three groups joined by hyphens. */
  readonly resource: string | null;
  readonly primeId: string | null;
  /** Canonical id of the project or session in `resource`. */
  readonly projectId: string | null;
  readonly sessionId: string | null;
  /** What identifies the item or document: the last id of `IdPath`, else the one in `resource`, else null. */
  readonly itemId: string | null;
  /** ISO 8601 in UTC, or null where it was missing or unreadable. */
  readonly happenedAt: string | null;
  /** The service's words: `Projects`, `ProjectItems`, `Sessions`, `SessionDocuments`, or one this bot does not know. */
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
