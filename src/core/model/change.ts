import type { TargetKind } from './subscription.ts';

/** What an event did, as far as it is known. `updated` claims no more than the service said. */
export type Verb =
  | 'added'
  | 'renamed'
  | 'moved'
  | 'renamed and moved'
  | 'new version'
  | 'session changed'
  | 'updated'
  | 'deleted'
  | 'other';

/** One event, worked out and ready to be said. */
export type Change = {
  readonly verb: Verb;
  /** What it happened to; `item` where the service did not say whether it is a file or a folder. */
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
  /** The followed project or session it belongs to. */
  readonly within: {
    readonly kind: 'project' | 'session';
    readonly id: string;
    readonly name: string | null;
  } | null;
};

/** What an event was told as, beyond what its notification says. */
export type PostedAs = Pick<Change, 'verb' | 'previousName' | 'previousFolder'>;
