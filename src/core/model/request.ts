import { z } from 'zod';
import { type Verb, verbs } from './commands.ts';
import { type EventType, eventTypes, type PersonName, type Target } from './subscription.ts';
import {
  isEmail,
  isGlob,
  isItemId,
  isLinkCode,
  isUserId,
  maxListLength,
  maxMuteMinutes,
} from './typed-text.ts';

/** What is to be followed, or no longer: `unknown` where an id was given and not whether it is a project's or a session's. */
export type Followed = Target | { readonly kind: 'unknown'; readonly id: string };

/** Filters as far as they were typed: what was not said is undefined, and an empty list was said to let everything pass. */
export type TypedFilters = {
  readonly only?: readonly EventType[] | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly by?: readonly PersonName[] | undefined;
  readonly notBy?: readonly PersonName[] | undefined;
};

/** When to post, as typed. `at` is `HH:MM`; whose clock that is, is known where the person's profile is. */
export type TypedWhen =
  | { readonly when: 'live' }
  | { readonly when: 'hourly' }
  | { readonly when: 'daily'; readonly at: string };

export type SubscribeRequest = {
  readonly act: 'subscribe';
  readonly target: Followed;
  /** False for folders, files and documents, and where `itself` was typed. */
  readonly comprehensive: boolean;
  readonly filters: TypedFilters;
  readonly when?: TypedWhen | undefined;
  readonly threads?: boolean | undefined;
};

/** What a person asked for by typing. It is stored while they link, and then carried out. */
export type Request =
  | { readonly act: 'open-form' }
  | SubscribeRequest
  | { readonly act: 'unsubscribe-list' }
  | { readonly act: 'unsubscribe'; readonly target: Followed }
  | { readonly act: 'unsubscribe-all' }
  | { readonly act: 'list' }
  | { readonly act: 'help'; readonly topic?: Verb | undefined }
  | { readonly act: 'link'; readonly code?: string | undefined }
  | { readonly act: 'unlink' }
  | { readonly act: 'status' }
  | { readonly act: 'settings' }
  | { readonly act: 'mute'; readonly minutes: number }
  | { readonly act: 'unmute' }
  | { readonly act: 'doctor' }
  | { readonly act: 'why' };

const idSchema = z.string().regex(/^\d{3}-\d{3}-\d{3}$/);
const itemIdSchema = z.string().refine(isItemId);
const followedSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('project'), projectId: idSchema }),
  z.object({ kind: z.enum(['folder', 'file']), projectId: idSchema, itemId: itemIdSchema }),
  z.object({ kind: z.literal('session'), sessionId: idSchema }),
  z.object({ kind: z.literal('document'), sessionId: idSchema, documentId: itemIdSchema }),
  z.object({ kind: z.literal('unknown'), id: idSchema }),
]);
const peopleSchema = z
  .array(
    z.union([
      z.object({ email: z.string().refine(isEmail) }),
      z.object({ userId: z.string().refine(isUserId) }),
    ]),
  )
  .max(maxListLength);

/** Reads a stored request back. */
export const requestSchema: z.ZodType<Request> = z.discriminatedUnion('act', [
  z.object({ act: z.literal('open-form') }),
  z.object({
    act: z.literal('subscribe'),
    target: followedSchema,
    comprehensive: z.boolean(),
    filters: z.object({
      only: z.array(z.enum(eventTypes)).optional(),
      paths: z.array(z.string().refine(isGlob)).max(maxListLength).optional(),
      by: peopleSchema.optional(),
      notBy: peopleSchema.optional(),
    }),
    when: z
      .discriminatedUnion('when', [
        z.object({ when: z.literal('live') }),
        z.object({ when: z.literal('hourly') }),
        z.object({ when: z.literal('daily'), at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/) }),
      ])
      .optional(),
    threads: z.boolean().optional(),
  }),
  z.object({ act: z.literal('unsubscribe-list') }),
  z.object({ act: z.literal('unsubscribe'), target: followedSchema }),
  z.object({ act: z.literal('unsubscribe-all') }),
  z.object({ act: z.literal('list') }),
  z.object({ act: z.literal('help'), topic: z.enum(verbs).optional() }),
  z.object({ act: z.literal('link'), code: z.string().refine(isLinkCode).optional() }),
  z.object({ act: z.literal('unlink') }),
  z.object({ act: z.literal('status') }),
  z.object({ act: z.literal('settings') }),
  z.object({ act: z.literal('mute'), minutes: z.int().min(1).max(maxMuteMinutes) }),
  z.object({ act: z.literal('unmute') }),
  z.object({ act: z.literal('doctor') }),
  z.object({ act: z.literal('why') }),
]);
