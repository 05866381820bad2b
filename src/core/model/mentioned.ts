import type { EventType } from './subscription.ts';

/** Whom a message mentions: a person or a group, by the id that Slack gave them. */
export type Mentioned = { readonly kind: 'user' | 'group'; readonly id: string };

/** Whom the messages of a subscription mention, and for which types of events. */
export type Ping = Mentioned & {
  readonly on: readonly EventType[];
  /** Of a group, if Slack sent it with the mention: its handle without the @. The bot may not ask for it. */
  readonly name?: string | undefined;
};

/** The events for which somebody is mentioned, unless others are named. */
export const pingedByDefault: readonly EventType[] = ['delete'];
