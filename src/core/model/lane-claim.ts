import type { Channel } from './people.ts';

/** Lane claims that last longer than they say: claims that end after `since` last until `until` at least. */
export type HeldClaims = { readonly since: Date; readonly until: Date };

/** What one process asks for when it takes lanes. */
export type LaneClaim = {
  readonly now: Date;
  /** When the claim expires. */
  readonly until: Date;
  /** The name of this take. */
  readonly by: string;
  /** Takes whose answer never arrived: their lanes are free again. */
  readonly lost: readonly string[];
  /** Extends the claims of others beyond their expiry. */
  readonly held: HeldClaims | null;
  /** The most lanes to take, and the most events to load for each. */
  readonly most: number;
  readonly eventsEach: number;
  /** The most bytes of events to load for all of them; each brings one event in any case. */
  readonly bytes: number;
};

/** A lane that was asked for and has something pending, but cannot be taken before `ready`. */
export type RestingLane = { readonly lane: Channel; readonly ready: Date };
