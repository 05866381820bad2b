import { z } from 'zod';
import {
  type DigestExcept,
  type EventType,
  eventTypes,
  type PersonName,
  type Target,
} from './subscription.ts';
import {
  isEmail,
  isGlob,
  isItemId,
  isLinkCode,
  isName,
  isUserId,
  maxListLength,
  maxMuteMinutes,
} from './typed-text.ts';
import { type BareVerb, bareVerbRow, bareVerbs, type Verb, verbs } from './verbs.ts';

/** What to follow or stop following; `unknown` if an id was given without saying whether it is a project or a session. */
export type Followed = Target | { readonly kind: 'unknown'; readonly id: string };

/** Filters as far as they were typed: undefined means not mentioned, an empty list means everything passes. */
export type TypedFilters = {
  readonly only?: readonly EventType[] | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly by?: readonly PersonName[] | undefined;
  readonly notBy?: readonly PersonName[] | undefined;
};

/** When to post, as typed. `at` is `HH:MM` in the time zone of the person's profile. */
export type TypedWhen =
  | { readonly when: 'live' }
  | ({ readonly when: 'hourly' } & DigestExcept)
  | ({ readonly when: 'daily'; readonly at: string; readonly weekdays?: true | undefined } & DigestExcept);

/** `personal`: for the person's own direct message with the bot instead of the channel. */
type Personal = { readonly personal?: true | undefined };

export type SubscribeRequest = Personal & {
  readonly act: 'subscribe';
  readonly target: Followed;
  /** False for files and documents, and if `itself` was typed. */
  readonly comprehensive: boolean;
  readonly filters: TypedFilters;
  readonly when?: TypedWhen | undefined;
  readonly threads?: boolean | undefined;
  /** The name to show until the service sends one. */
  readonly name?: string | undefined;
};

/** What a person asked for by typing. It is stored while they link, and carried out afterwards. */
export type Request =
  | (Personal & { readonly act: 'open-form' })
  | SubscribeRequest
  | (Personal & { readonly act: 'unsubscribe-list' })
  | (Personal & { readonly act: 'unsubscribe'; readonly target: Followed })
  | (Personal & { readonly act: 'unsubscribe-all' })
  | (Personal & { readonly act: 'list' })
  | { readonly act: 'help'; readonly topic?: Verb | undefined }
  | { readonly act: 'link'; readonly code?: string | undefined }
  | (Personal & { readonly act: 'mute'; readonly minutes: number })
  | (Personal & { readonly act: BareVerb })
  /** `batch`: an operator's import for this person, which they accept; without it, the import form. */
  | { readonly act: 'import'; readonly batch?: string | undefined };

const personalActs: readonly string[] = [
  'open-form',
  'subscribe',
  'unsubscribe-list',
  'unsubscribe',
  'unsubscribe-all',
  'list',
  'mute',
  ...bareVerbs.filter((word) => bareVerbRow(word).personal),
];

/** Returns whether `to me` can be added to a request, because it concerns one conversation. */
export function canBePersonal(request: Request): request is Extract<Request, Personal> {
  return personalActs.includes(request.act);
}

const personal = { personal: z.literal(true).optional() };
const except = { except: z.array(z.enum(eventTypes)).optional() };
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

/** Parses a stored request. */
export const requestSchema: z.ZodType<Request> = z.discriminatedUnion('act', [
  z.object({ act: z.literal('open-form'), ...personal }),
  z.object({
    act: z.literal('subscribe'),
    ...personal,
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
        z.object({ when: z.literal('hourly'), ...except }),
        z.object({
          when: z.literal('daily'),
          at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/),
          weekdays: z.literal(true).optional(),
          ...except,
        }),
      ])
      .optional(),
    threads: z.boolean().optional(),
    name: z.string().refine(isName).optional(),
  }),
  z.object({ act: z.literal('unsubscribe-list'), ...personal }),
  z.object({ act: z.literal('unsubscribe'), ...personal, target: followedSchema }),
  z.object({ act: z.literal('unsubscribe-all'), ...personal }),
  z.object({ act: z.literal('list'), ...personal }),
  z.object({ act: z.literal('help'), topic: z.enum(verbs).optional() }),
  z.object({ act: z.literal('link'), code: z.string().refine(isLinkCode).optional() }),
  z.object({ act: z.literal('mute'), ...personal, minutes: z.int().min(1).max(maxMuteMinutes) }),
  z.object({ act: z.enum(bareVerbs), ...personal }),
  z.object({ act: z.literal('import'), batch: z.uuid().optional() }),
]);
