import { randomUUID } from 'node:crypto';
import { itemName } from '../../test/faults/checker.ts';

/** A notification to send, and how. */
export type ToSend = {
  readonly index: number;
  readonly id: string;
  readonly body: string;
  /** Delay before it is sent, in milliseconds, so that some overtake others. */
  readonly delayMs: number;
  /** Milliseconds after which it is sent a second time; null for most. */
  readonly againAfterMs: number | null;
};

/** Shares of all notifications. */
const shares = {
  twice: 0.1,
  shuffled: 0.1,
  late: 0.05,
  oddTime: 0.03,
  braces: 0.05,
  unknownFields: 0.1,
  unknownType: 0.01,
};
const folders = [
  'Plans/Level 1',
  'Plans/Level 2',
  'Plans/Level 3',
  'Details',
  'Specifications',
  'Site photos',
];
const hourMs = 3_600_000;

/**
 * Creates notification number `index` as real services send them: some twice, some late, some with unknown fields. Each is about a
 * different item, so that anything posted twice is found.
 */
export function makeNotification({
  index,
  project,
  emails,
  random,
  now,
}: {
  readonly index: number;
  /** Its id in three groups. */
  readonly project: string;
  /** Emails of the actors. */
  readonly emails: readonly string[];
  /** Returns 0 to below 1. */
  readonly random: () => number;
  readonly now: number;
}): ToSend {
  const chance = (share: number): boolean => random() < share;
  const guid = randomUUID();
  const name = itemName(index);
  const folder = folders[index % folders.length] ?? 'Plans';
  return {
    index,
    id: guid,
    delayMs: chance(shares.shuffled) ? random() * 2_000 : 0,
    againAfterMs: chance(shares.twice) ? random() * 30_000 : null,
    body: JSON.stringify({
      Id: chance(shares.braces) ? `{${guid.toUpperCase()}}` : guid,
      Resource: `/Primes/1/Projects/${project}/`,
      Timestamp: timestamp(),
      ExtraInformation: {
        ResourceType: 'ProjectItems',
        EventType: chance(shares.unknownType) ? 'Annotate' : 'Create',
        User: emails[index % emails.length],
        IdPath: `root/item-${index}`,
        Path: `Root/${folder}/${name}`,
        ItemType: 'File',
        Name: name,
        ...(chance(shares.unknownFields)
          ? { Colour: 'blue', Revision: { number: 3, notes: [null, 'new'] } }
          : {}),
      },
      ...(chance(shares.unknownFields) ? { SchemaVersion: 7 } : {}),
    }),
  };

  function timestamp(): string | undefined {
    if (chance(shares.late)) return new Date(now - random() * 25 * hourMs).toISOString();
    if (!chance(shares.oddTime)) return new Date(now).toISOString();
    const odd = [new Date(now + hourMs).toISOString(), '1970-01-01T00:00:00Z', 'yesterday', undefined];
    return odd[index % odd.length];
  }
}
