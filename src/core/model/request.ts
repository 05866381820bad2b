import { z } from 'zod';
import { recapDays } from './digest-hours.ts';
import { isZone } from './local-time.ts';
import { daysOfWeek, eventTypes, type Ping } from './subscription.ts';
import {
  isEmail,
  isGlob,
  isGroupHandle,
  isGroupId,
  isItemId,
  isLinkCode,
  isName,
  isUserId,
  longestNamed,
  maxListLength,
  maxMuteMinutes,
} from './typed-text.ts';
import { bareVerbs, verbs } from './verbs.ts';

const personal = {
  /** For the person's own direct message with the bot instead of the channel. */
  personal: z.literal(true).optional(),
};
const except = {
  /** Event types that are posted at once instead of held for the digest. */
  except: z.array(z.enum(eventTypes)).readonly().optional(),
};
const clockTime = {
  at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/),
  /** IANA name; without it, the zone of whoever asks, or the one that the subscription has. */
  zone: z.string().refine(isZone).optional(),
};
/** Parses quiet hours; their zone is that of whoever asks. */
const quietSchema = z.union([
  z.object({ from: clockTime.at, to: clockTime.at, weekends: z.literal(true).optional(), ...except }),
  z.literal('off'),
]);
/** Parses the canonical id of a project or session. */
export const idSchema = z.string().regex(/^\d{3}-\d{3}-\d{3}$/);
/** Parses the id of a file, folder or document. */
export const itemIdSchema = z.string().refine(isItemId);
/** Parses what to follow or stop following. */
export const followedSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('project'), projectId: idSchema }),
  z.object({ kind: z.enum(['folder', 'file']), projectId: idSchema, itemId: itemIdSchema }),
  z.object({ kind: z.literal('session'), sessionId: idSchema }),
  z.object({ kind: z.literal('document'), sessionId: idSchema, documentId: itemIdSchema }),
  z.object({ kind: z.literal('unknown'), id: idSchema }),
]);
const emailSchema = z.object({ email: z.string().refine(isEmail) });
const userIdSchema = z.object({ userId: z.string().refine(isUserId) });
const peopleSchema = z
  .array(z.union([emailSchema, userIdSchema]))
  .max(maxListLength)
  .readonly();
const filtersSchema = z.object({
  only: z.array(z.enum(eventTypes)).readonly().optional(),
  paths: z.array(z.string().refine(isGlob)).max(maxListLength).readonly().optional(),
  by: peopleSchema.optional(),
  notBy: peopleSchema.optional(),
});
const pingedOn = z.array(z.enum(eventTypes)).min(1).readonly();
const pingSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('user'), id: z.string().refine(isUserId), on: pingedOn }),
  z.object({
    kind: z.literal('group'),
    id: z.string().refine(isGroupId),
    on: pingedOn,
    name: z.string().refine(isGroupHandle).optional(),
  }),
]) satisfies z.ZodType<Ping>;
/** Parses when to post. */
export const whenSchema = z.discriminatedUnion('when', [
  z.object({ when: z.literal('live') }),
  z.object({ when: z.literal('hourly'), ...except }),
  z.object({
    when: z.literal('daily'),
    ...clockTime,
    weekdays: z.literal(true).optional(),
    ...except,
  }),
  z.object({ when: z.literal('weekly'), day: z.enum(daysOfWeek), ...clockTime, ...except }),
]);
/** Parses a request to subscribe. */
export const subscribeSchema = z.object({
  act: z.literal('subscribe'),
  ...personal,
  target: followedSchema,
  /** False for documents, and if `itself` was typed. */
  comprehensive: z.boolean(),
  filters: filtersSchema,
  when: whenSchema.optional(),
  threads: z.boolean().optional(),
  /** The name to show until the service sends one; null, which only the form says, for none any longer. */
  name: z.string().refine(isName).nullable().optional(),
  /** Whom new messages mention; null for nobody any longer. */
  ping: pingSchema.nullable().optional(),
  /** Pressed, never typed: the person wants to own the subscription that is there. */
  takeOver: z.literal(true).optional(),
});

/** Parses since when to list changes, in the reader's days. */
const sinceSchema = z.union([
  z.enum(['today', 'yesterday', ...daysOfWeek]),
  /** So many days before today, from 0:00. */
  z.object({ days: z.int().min(1).max(recapDays) }),
  z.object({
    minutes: z
      .int()
      .min(1)
      .max(recapDays * 24 * 60),
  }),
]);
const recapSchema = z.object({
  act: z.literal('recap'),
  ...personal,
  since: sinceSchema.optional(),
  /** A name or link, as typed, of what to list the changes of. */
  named: z.string().min(1).max(longestNamed).optional(),
  /** Pressed, never typed: the key of an item, project or session, and the page, from 0, that takes the place of the one that was shown. */
  key: z.string().min(1).max(600).optional(),
  page: z.int().min(0).max(1_000_000).optional(),
});

/** Parses a stored request. */
export const requestSchema = z.discriminatedUnion('act', [
  z.object({ act: z.literal('open-form'), ...personal }),
  subscribeSchema,
  z.object({ act: z.literal('unsubscribe-list'), ...personal }),
  z.object({ act: z.literal('unsubscribe'), ...personal, target: followedSchema }),
  z.object({ act: z.literal('unsubscribe-all'), ...personal }),
  z.object({ act: z.literal('list'), ...personal }),
  z.object({ act: z.literal('help'), topic: z.enum(verbs).optional() }),
  z.object({ act: z.literal('link'), code: z.string().refine(isLinkCode).optional() }),
  z.object({ act: z.literal('mute'), minutes: z.int().min(1).max(maxMuteMinutes) }),
  recapSchema,
  z.object({
    act: z.literal('quiet'),
    /** Without them, they are asked for in a form. */
    hours: quietSchema.optional(),
  }),
  /** Pressed, never typed: the person wants to own what waits for somebody else. */
  z.object({ act: z.literal('take-over-all'), ownerUserId: z.string().refine(isUserId) }),
  z.object({ act: z.enum(bareVerbs) }),
]);

/** What a person asked for by typing. It is stored while they link, and carried out afterwards. */
export type Request = Readonly<z.infer<typeof requestSchema>>;

export type SubscribeRequest = Readonly<z.infer<typeof subscribeSchema>>;

/** What to follow or stop following; `unknown` if an id was given without saying whether it is a project or a session. */
export type Followed = Readonly<z.infer<typeof followedSchema>>;

/** Quiet hours to set, or to turn off. */
export type TypedQuiet = Readonly<z.infer<typeof quietSchema>>;

/** Filters as far as they were typed: undefined means not mentioned, an empty list means everything passes. */
export type TypedFilters = Readonly<z.infer<typeof filtersSchema>>;

/** What to list the changes of, and since when. */
export type RecapRequest = Readonly<z.infer<typeof recapSchema>>;

/** When to post, as typed. `at` is `HH:MM` in its `zone`, or in that of the person's profile. */
export type TypedWhen = Readonly<z.infer<typeof whenSchema>>;

/** The request in a typed line, or why the line does not run at once. */
export type Parsed =
  | { readonly ok: true; readonly request: Request }
  | { readonly ok: false; readonly mistake: Mistake };

/** Why a typed line does not run at once. All texts are plain, not escaped. */
export type Mistake = {
  /** What was understood of the line; null if that is no request yet. It runs if the person agrees, unless there are faults. */
  readonly understood: Request | null;
  /** The words that were left out, as typed. None of them is part of what was understood. */
  readonly leftOut: string;
  /** The options whose values are wrong or missing. */
  readonly faults: readonly Fault[];
  /** What to offer with a button each: one of several targets, or the values that there are in place of a wrong one. */
  readonly choices: readonly Choice[];
  /** What the line lacks altogether; null if nothing. */
  readonly lacks: 'target' | 'command' | null;
};

/** An option whose value is wrong or missing. */
export type Fault = {
  /** The option as it is typed. */
  readonly option: string;
  /** The wrong value, shortened; null if there is none. */
  readonly value: string | null;
  /** What there is; follows "Use" in a sentence. */
  readonly expected: string;
};

/** A request to offer, and the words that name it beside the others. */
export type Choice = { readonly words: string; readonly request: Request };
