import type { Change } from '../../src/core/model/change.ts';

/** When the events in these tests happen, unless a test says otherwise. */
export const happenedAt = new Date('2026-11-20T14:03:20Z');

/** A little later: when they are posted. */
export const now = new Date('2026-11-20T14:03:24Z');

export const harbourTower = { kind: 'project', id: '123-456-789', name: 'Harbour Tower' } as const;
export const weeklyReview = { kind: 'session', id: '987-654-321', name: 'Weekly review' } as const;

/** Returns a change: by default, Dana adds a file. */
export function makeChange(change: Partial<Change> = {}): Change {
  return {
    verb: 'added',
    kind: 'file',
    resourceType: 'ProjectItems',
    eventType: 'Create',
    name: 'Level 1.pdf',
    previousName: null,
    folder: ['Plans', 'Level 1'],
    previousFolder: null,
    actorEmail: 'dana.ek@example.com',
    actorName: 'Dana Ek',
    happenedAt,
    eventId: null,
    itemId: null,
    url: null,
    within: harbourTower,
    ...change,
  };
}

/** Returns the time this many minutes before `now`. */
export function minutesAgo(minutes: number): Date {
  return new Date(now.getTime() - minutes * 60_000);
}
