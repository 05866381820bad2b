import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Notification } from '../core/model/notification.ts';
import { lastIdOf, normaliseResource, readResource } from './resources.ts';
import { optionalDecimalId, optionalText, optionalTextOrNumber } from './shapes.ts';
import { storable } from './storable.ts';

const deepest = 20;
const mostKeys = 1_000;
/** Ids are GUIDs by the interface. A longer text than this is no id that two notifications could share by being cut. */
const longestId = 200;
const longestWord = 200;
/** Longest address by RFC 5321. */
const longestEmail = 320;

/** What was read from a body, and how many of its entries are no notification. */
export type ParsedNotifications = { readonly notifications: Notification[]; readonly rejected: number };

/**
 * Reads the body of a callback: one notification or an array of them, each judged by itself. One that names a `Resource` or an
 * `EventType` is good, whatever else is missing, odd or unknown in it; entries deeper than 20 levels or of more than 1,000 keys are not.
 * Never throws.
 */
export function parseNotifications(json: unknown): ParsedNotifications {
  const entries = Array.isArray(json) ? json : [json];
  const notifications = entries.map(parseNotification).filter((notification) => notification !== null);
  return { notifications, rejected: entries.length - notifications.length };
}

/** Uncut: what is read out of it counts, and it is cut afterwards. */
const wholeText = z.string().nullable().catch(null);

const extraFields = z.object({
  ResourceType: optionalText(longestWord),
  User: optionalText(longestEmail).transform((email) => email?.trim() ?? null),
  EventType: optionalText(longestWord),
  IdPath: wholeText,
  Path: optionalText(),
  ItemType: optionalText(longestWord).transform((type) => type?.trim().toLowerCase() ?? null),
  Name: optionalText(),
});
const noExtra = extraFields.parse({});

const notificationFields = z.object({
  // Kept a little beyond its limit, so that one that is too long is still seen to be.
  Id: optionalTextOrNumber(longestId + 2),
  SubscriptionId: optionalDecimalId,
  Source: optionalTextOrNumber(longestWord),
  Resource: optionalText(),
  Timestamp: wholeText,
  ExtraInformation: extraFields.catch(noExtra),
});

function parseNotification(json: unknown): Notification | null {
  if (json === null || typeof json !== 'object' || Array.isArray(json) || exceedsLimits(json)) return null;
  const parsed = notificationFields.safeParse(json);
  if (!parsed.success) return null;
  const { Id, SubscriptionId, Source, Resource, Timestamp, ExtraInformation: extra } = parsed.data;
  if (Resource === null && extra.EventType === null) return null;
  const place = readResource(Resource ?? '');
  return {
    id: canonicalNotificationId(Id) ?? derivedId(json),
    serviceSubscriptionId: SubscriptionId,
    source: Source,
    resource: Resource === null ? null : normaliseResource(Resource),
    primeId: place.primeId,
    projectId: place.projectId,
    sessionId: place.sessionId,
    // In a comprehensive subscription `Resource` may be that of the subscribed parent: the item's own path of ids comes first.
    itemId: lastIdOf(extra.IdPath ?? '') ?? place.itemId,
    happenedAt: instantOf(Timestamp ?? ''),
    resourceType: knownWord(extra.ResourceType, resourceTypes) ?? place.type ?? 'Unknown',
    eventType: knownWord(extra.EventType, eventTypes) ?? 'Unknown',
    actorEmail: extra.User,
    idPath: storable(extra.IdPath ?? '') || null,
    path: extra.Path,
    itemType: extra.ItemType,
    name: extra.Name,
  };
}

const resourceTypes = ['Projects', 'ProjectItems', 'Sessions', 'SessionDocuments'];
const eventTypes = ['Create', 'Update', 'Delete'];

/** The service's own spelling of a word known here, else the word as it was sent. */
function knownWord(word: string | null, known: readonly string[]): string | null {
  const trimmed = word?.trim();
  return known.find((one) => one.toLowerCase() === trimmed?.toLowerCase()) ?? trimmed ?? null;
}

function canonicalNotificationId(id: string | null): string | null {
  const canonical = id
    ?.trim()
    .replace(/^\{(.*)\}$/s, '$1')
    .trim()
    .toLowerCase();
  if (canonical === undefined || canonical === '' || canonical.length > longestId) return null;
  return canonical;
}

function derivedId(json: object): string {
  return `derived:${createHash('sha256').update(canonicalJson(json)).digest('hex').slice(0, 32)}`;
}

/** JSON with sorted keys: what is sent again in another order of keys is the same notification. The caller has limited the depth. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([key]) => key !== '__proto__')
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** Walks without recursion, since the value may be as deep as a body of brackets can make it. */
function exceedsLimits(json: unknown): boolean {
  const open: Array<{ value: unknown; depth: number }> = [{ value: json, depth: 1 }];
  let keys = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (value === null || typeof value !== 'object') continue;
    if (depth > deepest) return true;
    if (!Array.isArray(value)) keys += Object.keys(value).length;
    if (keys > mostKeys) return true;
    for (const member of Object.values(value)) open.push({ value: member, depth: depth + 1 });
  }
  return false;
}

const isoInstant = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:[.,](\d{1,12}))?\s*(Z|[+-]\d{2}:?\d{2})?$/i;

/**
 * A time of the service as ISO 8601 in UTC, to the millisecond. One without an offset is taken as UTC, never as this machine's zone.
 * Null if it is unreadable or before 1970: .NET writes year 1 for "not set", which Postgres cannot hold in every zone.
 */
function instantOf(text: string): string | null {
  const parts = isoInstant.exec(text.trim());
  if (parts === null) return null;
  const [, day, time, fraction = '', offset = 'Z'] = parts;
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const zone = /^[+-]\d{4}$/.test(offset) ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset.toUpperCase();
  const instant = Date.parse(`${day}T${time}.${milliseconds}${zone}`);
  const isStorable = instant >= 0 && instant < Date.UTC(10_000, 0, 1);
  return isStorable ? new Date(instant).toISOString() : null;
}
