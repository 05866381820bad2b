import { createHash } from 'node:crypto';
import { kindOfResourceType, verbOfEventType } from '../core/model/change.ts';
import type { Notification } from '../core/model/notification.ts';
import { storable } from '../lib/text.ts';
import { lastIdOf, normalizeResource, readResource } from './resources.ts';
import { decimalIdOf, textOf, textOrNumberOf } from './shapes.ts';

/** Stands for anything that is not an id: no remote subscription has this id. */
const noRemote = '-1';
const deepest = 20;
const mostKeys = 1_000;
/** Ids are GUIDs according to the interface. A longer text is none, since cutting it could make two notifications share one. */
const longestId = 200;
const longestWord = 200;
/** Longest email address (RFC 5321). */
const longestEmail = 320;

/**
 * Parses the body of a callback: one notification or an array of them, each judged on its own. An entry with a `Resource` or an `EventType`
 * is accepted, whatever else is missing, odd or unknown; entries deeper than 20 levels or with more than 1,000 keys are skipped. Never
 * throws.
 */
export function parseNotifications(json: unknown): Notification[] {
  const entries = Array.isArray(json) ? json : [json];
  return entries.map(parseNotification).filter((notification) => notification !== null);
}

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Parsed by hand: this runs a thousand times a second, and a schema takes a third longer. */
function parseNotification(json: unknown): Notification | null {
  if (!isRecord(json) || exceedsLimits(json)) return null;
  const extra = isRecord(json.ExtraInformation) ? json.ExtraInformation : {};
  const resource = textOf(json.Resource);
  const eventType = textOf(extra.EventType, longestWord);
  if (resource === null && eventType === null) return null;
  const place = readResource(resource ?? '');
  // Not shortened yet: its last id is read below, and it is shortened only for storage.
  const idPath = typeof extra.IdPath === 'string' ? extra.IdPath : '';
  return {
    id: canonicalNotificationId(json.Id) ?? derivedId(json),
    serviceSubscriptionId: remoteIdOf(json.SubscriptionId),
    source: textOrNumberOf(json.Source, longestWord),
    resource: resource === null ? null : normalizeResource(resource),
    primeId: place.primeId,
    projectId: place.projectId,
    sessionId: place.sessionId,
    // In a comprehensive subscription `Resource` may name the subscribed parent, so the item's own `IdPath` takes precedence.
    itemId: lastIdOf(idPath) ?? place.itemId,
    happenedAt: instantOf(json.Timestamp),
    resourceType:
      knownWord(textOf(extra.ResourceType, longestWord), resourceTypes) ?? place.type ?? 'Unknown',
    eventType: knownWord(eventType, eventTypes) ?? 'Unknown',
    actorEmail: textOf(extra.User, longestEmail)?.trim() ?? null,
    idPath: storable(idPath) || null,
    path: textOf(extra.Path),
    itemType: textOf(extra.ItemType, longestWord)?.trim().toLowerCase() ?? null,
    name: textOf(extra.Name),
  };
}

/** Returns the id of the remote subscription that a notification names, or null if it names none. */
function remoteIdOf(value: unknown): string | null {
  const isMissing =
    value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
  return isMissing ? null : (decimalIdOf(value) ?? noRemote);
}

const resourceTypes = Object.keys(kindOfResourceType);
const eventTypes = Object.keys(verbOfEventType);

/** Returns the service's own spelling of a known word, or else the word as it was sent. */
function knownWord(word: string | null, known: readonly string[]): string | null {
  const trimmed = word?.trim();
  return known.find((one) => one.toLowerCase() === trimmed?.toLowerCase()) ?? trimmed ?? null;
}

function canonicalNotificationId(id: unknown): string | null {
  // Shorten it to a little more than the limit, so that an id that is too long is still recognized as such.
  const canonical = textOrNumberOf(id, longestId + 2)
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

/** Serializes JSON with sorted keys: sent again in another order, it is the same notification. The caller has limited the depth. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([key]) => key !== '__proto__')
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** Whether a value has too many levels or keys. Stops at the first: a body of brackets can nest as deep as it is long. */
function exceedsLimits(json: unknown): boolean {
  let keys = 0;
  const exceeds = (value: unknown, depth: number): boolean => {
    if (value === null || typeof value !== 'object') return false;
    if (depth > deepest) return true;
    const members = Object.values(value);
    if (!Array.isArray(value)) keys += members.length;
    return keys > mostKeys || members.some((member) => exceeds(member, depth + 1));
  };
  return exceeds(json, 1);
}

const isoInstant = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:[.,](\d{1,12}))?\s*(Z|[+-]\d{2}:?\d{2})?$/i;

/**
 * Parses a time of the service; returns ISO 8601 in UTC, to the millisecond. A time without an offset is taken as UTC, never as this
 * machine's zone. Returns null if it is unreadable or before 1970: .NET writes year 1 for "not set", which Postgres cannot store in every
 * zone.
 */
function instantOf(text: unknown): string | null {
  const parts = typeof text === 'string' ? isoInstant.exec(text.trim()) : null;
  if (parts === null) return null;
  const [, day, time, fraction = '', offset = 'Z'] = parts;
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const zone = /^[+-]\d{4}$/.test(offset) ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset.toUpperCase();
  const instant = Date.parse(`${day}T${time}.${milliseconds}${zone}`);
  const isStorable = instant >= 0 && instant < Date.UTC(10_000, 0, 1);
  return isStorable ? new Date(instant).toISOString() : null;
}
