import { z } from 'zod';
import { parseJson } from '../../lib/parse-json.ts';
import type { FormFaults, FormValues } from '../../messages/subscribing/form-values.ts';
import { commands } from '../model/commands.ts';
import { requestSchema, type SubscribeRequest } from '../model/request.ts';
import { daysOfWeek } from '../model/subscription.ts';
import type { TargetedRequest } from './allowed-request.ts';

/** Values of fields that are not always shown, so that nothing entered is lost. */
const keptSchema = z.object({
  more: z.boolean(),
  comprehensive: z.boolean(),
  folderId: z.string().nullable(),
  item: z.string(),
  at: z.string(),
  weekdays: z.boolean(),
  /** Of a weekly digest; a form opened by an older release lacks it. */
  day: z.enum(daysOfWeek).catch('monday'),
  exceptDeleted: z.boolean(),
});

/** The values of hidden fields in a newly opened form. */
export const keptAtFirst: z.infer<typeof keptSchema> = {
  more: false,
  comprehensive: true,
  folderId: null,
  item: '',
  at: '09:00',
  weekdays: false,
  day: 'monday',
  exceptDeleted: false,
};

const targetedSchema = requestSchema.transform((request, context): TargetedRequest => {
  if (request.act === 'subscribe' && request.target.kind !== 'unknown') {
    return { ...request, target: request.target };
  }
  context.addIssue('not a request for a resource of a known kind');
  return z.NEVER;
});

const contextSchema = z.object({
  /** Null if the channel is chosen in the form. */
  channelId: z.string().nullable(),
  responseUrl: z.string().nullable(),
  names: z.record(z.enum(commands), z.string()),
  /** IANA name of the time zone of clock times in the form. */
  zone: z.string(),
  /** Whether that is the zone of the person, or the one in which the subscription's digest was set. */
  isOwnZone: z.boolean().catch(true),
  /** The subscription being edited and its current state; null for a new one. */
  change: z.object({ id: z.uuid(), name: z.string().nullable(), now: targetedSchema }).nullable(),
  /** When new subscriptions of the workspace post by default. A form opened by an older release lacks this and `kept`. */
  usual: z.enum(['live', 'hourly', 'daily', 'weekly']).catch('live'),
  kept: keptSchema.catch(keptAtFirst),
});

/** What the subscribe form stores about how it was opened, and about fields that are not shown. */
export type FormContext = z.infer<typeof contextSchema>;

/** The result of parsing a form. */
export type FormUnderstood = {
  readonly channelId: string | null;
  /** Null while something is missing or invalid. */
  readonly request: SubscribeRequest | null;
  readonly faults: FormFaults;
};

/** Formats the metadata of a form that shows these values. Contains only short ones: filters are in the form's own fields. */
export function writeFormContext(context: FormContext, values: FormValues): string {
  return JSON.stringify({ ...context, kept: keptSchema.parse(values) });
}

/** Parses the form's metadata; null if it is not ours. */
export function readFormContext(metadata: string): FormContext | null {
  return contextSchema.safeParse(parseJson(metadata)).data ?? null;
}
