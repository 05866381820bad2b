import { z } from 'zod';
import { parseJson } from '../../lib/parse-json.ts';
import type { FormFaults, KeptValues } from '../../messages/subscribing/form-values.ts';
import type { CommandNames } from '../model/commands.ts';
import { requestSchema, type SubscribeRequest, type TypedWhen } from '../model/request.ts';
import type { Certain } from './given-request.ts';

/** What the subscribe form stores about how it was opened, and about fields that are not shown. */
export type FormContext = {
  /** Null if the channel is chosen in the form. */
  readonly channelId: string | null;
  readonly responseUrl: string | null;
  readonly names: CommandNames;
  /** IANA name of the time zone of clock times in the form. */
  readonly zone: string;
  /** The subscription being edited and its current state; null for a new one. */
  readonly change: {
    readonly id: string;
    readonly name: string | null;
    readonly now: Certain;
  } | null;
  /** When new subscriptions of the workspace post by default. */
  readonly usual: TypedWhen['when'];
  readonly kept: KeptValues;
};

/** The result of parsing a form. */
export type FormUnderstood = {
  readonly channelId: string | null;
  /** Null while something is missing or invalid. */
  readonly request: SubscribeRequest | null;
  readonly faults: FormFaults;
  readonly anyway: boolean;
};

/** The values of hidden fields in a newly opened form. */
export const keptAtFirst: KeptValues = {
  more: false,
  comprehensive: true,
  folderId: null,
  item: '',
  at: '09:00',
  weekdays: false,
  exceptDeleted: false,
};

const namesSchema = z.object({
  subscribe: z.string(),
  unsubscribe: z.string(),
  subscriptions: z.string(),
  plancast: z.string(),
});
const keptSchema = z.object({
  more: z.boolean(),
  comprehensive: z.boolean(),
  folderId: z.string().nullable(),
  item: z.string(),
  at: z.string(),
  weekdays: z.boolean(),
  exceptDeleted: z.boolean(),
});
const contextSchema = z.object({
  channelId: z.string().nullable(),
  responseUrl: z.string().nullable(),
  names: namesSchema,
  zone: z.string(),
  change: z.object({ id: z.uuid(), name: z.string().nullable(), now: requestSchema }).nullable(),
  // A form opened by an older release lacks both.
  usual: z.enum(['live', 'hourly', 'daily']).catch('live'),
  kept: keptSchema.catch(keptAtFirst),
});

/** Formats the form's metadata. Contains only short values: filters are in the form's own fields. */
export function writeFormContext(context: FormContext): string {
  return JSON.stringify(context);
}

/** Parses the form's metadata; null if it is not ours. */
export function readFormContext(metadata: string): FormContext | null {
  const parsed = contextSchema.safeParse(parseJson(metadata));
  if (!parsed.success) return null;
  const { change, ...context } = parsed.data;
  if (change === null) return { ...context, change };
  const { now } = change;
  if (now.act !== 'subscribe' || now.target.kind === 'unknown') return null;
  return { ...context, change: { ...change, now: { ...now, target: now.target } } };
}
