import type { TargetKind } from './subscription.ts';

/** What the service's event type says about a change; null where `what-changed.ts` works it out from the remembered state. */
export const verbOfEventType = {
  Create: 'added',
  Update: null,
  Delete: 'deleted',
} as const;

/** What an event did, as far as the bot knows. `updated` claims no more than the service said. */
export type ChangeVerb =
  | NonNullable<(typeof verbOfEventType)[keyof typeof verbOfEventType]>
  | 'renamed'
  | 'moved'
  | 'renamed and moved'
  | 'session changed'
  | 'updated'
  | 'other';

/** What the service's resource type stands for; `item` where it does not say whether it is a file or a folder. */
export const kindOfResourceType = {
  Projects: 'project',
  ProjectItems: 'item',
  Sessions: 'session',
  SessionDocuments: 'document',
} as const;

/** The name shown for a person who has no name that can be shown. */
export const someone = 'Someone';

/** One event, analyzed and ready to be rendered. */
export type Change = {
  readonly verb: ChangeVerb;
  /** The kind of thing that changed. */
  readonly kind: TargetKind | 'item' | 'other';
  /** The service's own words, for kinds and types this bot does not know. */
  readonly resourceType: string;
  readonly eventType: string;
  readonly name: string | null;
  readonly previousName: string | null;
  /** Folder names from the root down, without the item itself. */
  readonly folder: readonly string[] | null;
  readonly previousFolder: readonly string[] | null;
  /** The service's email address of the person who made the change, and the name to show instead if Slack knows one. */
  readonly actorEmail: string | null;
  readonly actorName: string | null;
  readonly happenedAt: Date;
  /** Our id of the event, by which a button on its message finds it; null where it has none. */
  readonly eventId: string | null;
  /** The service's id of the item or document. */
  readonly itemId: string | null;
  /** The URL that opens it, if the admin configured one and the channel is allowed to see it. */
  readonly url: string | null;
  /** The followed project or session it belongs to. */
  readonly within: {
    readonly kind: 'project' | 'session';
    readonly id: string;
    readonly name: string | null;
  } | null;
};

/** What was worked out about an event when it was rendered, beyond what its notification says. */
export type PostedAs = Pick<Change, 'verb' | 'previousName' | 'previousFolder'>;
