import type { TargetKind } from './subscription.ts';

/** What the service's word for an event says of it; null where `core/delivering/what-changed.ts` works out more from what is remembered. */
export const verbOfEventType = {
  Create: 'added',
  Update: null,
  Delete: 'deleted',
} as const;

/** What an event did, as far as it is known. `updated` ("changed") claims no more than the service said. */
export type ChangeVerb =
  | NonNullable<(typeof verbOfEventType)[keyof typeof verbOfEventType]>
  | 'renamed'
  | 'moved'
  | 'renamed and moved'
  | 'new version'
  | 'session changed'
  | 'updated'
  | 'other';

/** What the service's word for a resource stands for; `item` where it did not say whether it is a file or a folder. */
export const kindOfResourceType = {
  Projects: 'project',
  ProjectItems: 'item',
  Sessions: 'session',
  SessionDocuments: 'document',
} as const;

/** How a person appears who has no name that may be shown. */
export const someone = 'Someone';

/** One event, worked out and ready to be rendered. */
export type Change = {
  readonly verb: ChangeVerb;
  /** What it happened to. */
  readonly kind: TargetKind | 'item' | 'other';
  /** The service's own words, for kinds and types this bot does not know. */
  readonly resourceType: string;
  readonly eventType: string;
  readonly name: string | null;
  readonly previousName: string | null;
  /** Folder names from the root down to, and without, the item itself. */
  readonly folder: readonly string[] | null;
  readonly previousFolder: readonly string[] | null;
  /** The service's e-mail address of who did it, and the name to show instead where Slack knows one. */
  readonly actorEmail: string | null;
  readonly actorName: string | null;
  readonly happenedAt: Date;
  /** Our number of the event, by which a press on its message finds it; null where it has none. */
  readonly eventId: string | null;
  /** The service's id of the item or document. */
  readonly itemId: string | null;
  /** Where it can be opened, if the admin set how and the channel may see it. */
  readonly url: string | null;
  /** The followed project or session it belongs to. */
  readonly within: {
    readonly kind: 'project' | 'session';
    readonly id: string;
    readonly name: string | null;
  } | null;
};

/** How an event was rendered, beyond what its notification says. */
export type PostedAs = Pick<Change, 'verb' | 'previousName' | 'previousFolder'>;
