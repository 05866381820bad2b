import { z } from 'zod';
import { storable } from '../lib/text.ts';
import { normalizeResource, readResource } from './resources.ts';

/** A subscription as the service returns it. `status` is the service's word, shown unchanged (`Active` is the only one documented). */
export type Remote = {
  /** Decimal. */
  readonly id: string;
  readonly endpointId: string | null;
  /** Path of the followed resource, with hyphenated ids. */
  readonly resource: string | null;
  readonly primeId: string | null;
  readonly source: string | null;
  readonly status: string | null;
  /** Contains the callback token: never log or show it. */
  readonly callbackUrl: string | null;
};

/** The answer to a create request, the only one that includes the key. */
export type CreatedRemote = Remote & {
  /** As sent, hexadecimal according to the interface. Must be sealed, never logged. */
  readonly key: string | null;
};

/** Reads an id or count, sent as a number or as decimal text, as text that fits a Postgres bigint; returns null for anything else. */
export function decimalIdOf(value: unknown): string | null {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && value >= 0 ? String(Math.abs(value)) : null;
  if (typeof value !== 'string' || !/^\s*[0-9]{1,18}\s*$/.test(value)) return null;
  return BigInt(value).toString();
}

/** Reads a text field that may be missing or malformed; returns null then, and for text that is only whitespace. */
export function textOf(value: unknown, longest?: number): string | null {
  if (typeof value !== 'string' || value.trim() === '') return null;
  return storable(value, longest);
}

/** Like `textOf`, for a field that the interface shows as a number in one place and as text in another. */
export function textOrNumberOf(value: unknown, longest?: number): string | null {
  return textOf(typeof value === 'number' && Number.isFinite(value) ? String(value) : value, longest);
}

/** A schema for an optional field that `by` reads. */
const read = <Value>(by: (value: unknown) => Value) => z.unknown().optional().transform(by);

/** A schema for an optional text field (see `textOf`). */
export const optionalText = (longest?: number) => read((value) => textOf(value, longest));
const optionalDecimalId = read(decimalIdOf);

const subscriptionFields = z.object({
  SubscriptionId: optionalDecimalId.refine((id) => id !== null).transform(String),
  EndpointId: optionalDecimalId,
  Resource: optionalText(),
  Source: read((value) => textOrNumberOf(value, 200)),
  Status: optionalText(200),
  Uri: optionalText(),
  Key: optionalText(1_000),
});

/** Parses the remote subscription in the answer to a create request; returns null if there is none. Accepts an array of one. */
export function parseCreated(json: unknown): CreatedRemote | null {
  const fields = subscriptionFields.safeParse(Array.isArray(json) && json.length === 1 ? json[0] : json);
  if (!fields.success) return null;
  return { ...remoteOf(fields.data), key: fields.data.Key?.trim() ?? null };
}

/** Parses one remote subscription without its key; returns null if the answer contains none. */
export function parseRemote(json: unknown): Remote | null {
  const fields = subscriptionFields.safeParse(json);
  return fields.success ? remoteOf(fields.data) : null;
}

const listFields = z.object({ Subscriptions: z.unknown() });

/** Some serializers that write `$id` put arrays under `$values`, so that they can reference those too. */
const wrappedArray = z.object({ $values: z.array(z.unknown()) });

/** Parses a subscription list without its malformed entries; returns null if the answer is not one. */
export function parseList(json: unknown): Remote[] | null {
  const list = listFields.safeParse(json);
  const listed = list.data?.Subscriptions;
  const entries = listed === null ? [] : (arrayIn(json) ?? arrayIn(listed));
  return entries?.map(parseRemote).filter((remote) => remote !== null) ?? null;
}

function arrayIn(json: unknown): unknown[] | null {
  return Array.isArray(json) ? json : (wrappedArray.safeParse(json).data?.$values ?? null);
}

function remoteOf(fields: z.infer<typeof subscriptionFields>): Remote {
  return {
    id: fields.SubscriptionId,
    endpointId: fields.EndpointId,
    resource: fields.Resource === null ? null : normalizeResource(fields.Resource),
    primeId: fields.Resource === null ? null : readResource(fields.Resource).primeId,
    source: fields.Source,
    status: fields.Status,
    callbackUrl: fields.Uri,
  };
}
