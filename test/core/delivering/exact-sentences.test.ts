import { expect, test } from 'vitest';
import type { Bot } from '../../../src/core/bot.ts';
import { prepareTurn } from '../../../src/core/delivering/prepare-turn.ts';
import { nothingExcluded } from '../../../src/core/model/filters.ts';
import type { HeldReason } from '../../../src/core/model/summary-lead.ts';
import { plainLook, renderActivity } from '../../../src/messages/activity/activity.ts';
import { parseNotifications } from '../../../src/service/notifications.ts';
import type { WaitingEvent } from '../../../src/store/tables/events.ts';
import type { KnownItem } from '../../../src/store/tables/items.ts';
import type { LaneSubscription } from '../../../src/store/tables/subscription-row.ts';
import { asSeen } from '../../messages/as-seen.ts';
import { asSlackShows } from '../../messages/as-slack-reads.ts';
import { silentDebugLog } from '../../support/log.ts';

const now = new Date('2026-11-20T14:03:24Z');
const lane = { enterpriseId: null, teamId: 'T1', channelId: 'C1' };
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);

const subscription: LaneSubscription = {
  id: 's1',
  ownerUserId: 'U1',
  target: { kind: 'project', projectId: '412-873-550' },
  comprehensive: true,
  filters: { only: [], paths: [], by: [], notBy: [] },
  delivery: { when: 'live' },
  threads: false,
  ping: null,
  pingedAt: null,
  state: 'active',
  resourceName: null,
  parentName: null,
  lastEventAt: null,
  createdAt: minutesAgo(10_000),
};

/** What the service reports about an event, reduced to the fields that a case needs. */
type Report = {
  readonly type?: 'Create' | 'Update' | 'Delete';
  readonly name: string;
  readonly of?: 'File' | 'Folder' | 'Projects' | 'Sessions' | 'SessionDocuments';
  /** Location of an item: folder names below the root, which also make the ids. */
  readonly in?: string;
  readonly id?: string;
  readonly at?: Date;
};

const file = (report: Omit<Report, 'of'>): Report => ({ of: 'File', id: 'f1', in: 'Plans', ...report });
const folder = (report: Omit<Report, 'of'>): Report => ({ of: 'Folder', id: 'd1', in: 'Plans', ...report });
const project = (report: Omit<Report, 'of'>): Report => ({ of: 'Projects', ...report });
const session = (report: Omit<Report, 'of'>): Report => ({ of: 'Sessions', ...report });
const document = (report: Omit<Report, 'of'>): Report => ({ of: 'SessionDocuments', id: 'doc1', ...report });

function notificationOf({ type = 'Update', name, of = 'File', in: place = '', id = 'f1', at = now }: Report) {
  const isItem = of === 'File' || of === 'Folder';
  const isOfSession = of === 'Sessions' || of === 'SessionDocuments';
  const within = place === '' ? [] : place.split('/');
  const top = isOfSession ? 'Sessions/731-450-286' : 'Projects/412-873-550';
  const [parsed] = parseNotifications({
    Id: crypto.randomUUID(),
    Resource: `/Primes/1/${top}/${of === 'SessionDocuments' ? `SessionDocuments/${id}/` : ''}`,
    Timestamp: at.toISOString(),
    ExtraInformation: {
      ResourceType: isItem ? 'ProjectItems' : of,
      EventType: type,
      User: 'dana.ek@example.com',
      IdPath: isItem ? ['root', ...within.map((part) => `id-${part}`), id].join('/') : null,
      Path: isItem ? ['Root', ...within, name].join('/') : null,
      ItemType: isItem ? of : null,
      Name: name,
    },
  });
  if (!parsed) throw new Error('no notification');
  return parsed;
}

/** How the events of one turn are held back or late, and what is known before it. */
type Setting = {
  readonly summary?: HeldReason;
  readonly receivedAt?: Date;
  /** What is known about the items of the channel; each turn updates it. */
  readonly memory?: Map<string, KnownItem>;
};

/** Returns the lines of the message that one turn makes of these events, as Slack shows them. */
async function linesOf(reports: readonly Report[], setting: Setting = {}): Promise<string[]> {
  const memory = setting.memory ?? new Map<string, KnownItem>();
  const bot = {
    clock: { now: () => now },
    processor: { usedMs: () => 0, rest: async () => undefined },
    slack: { nameOf: async () => 'Dana Ek' },
    config: { urlTemplates: {} },
    log: silentDebugLog,
  } as unknown as Bot;
  const waiting = reports.map((report, index): WaitingEvent => {
    const notification = notificationOf(report);
    return {
      seq: String(index + 1),
      notification,
      fingerprint: String(index),
      summary: setting.summary ?? null,
      receivedAt: setting.receivedAt ?? now,
      subscription,
    };
  });
  const taken = {
    lane,
    at: now,
    items: memory,
    hasDuplicates: false,
    discreet: false,
    excluded: nothingExcluded,
    card: null,
    bytes: 0,
  };
  const turn = await prepareTurn(bot, taken, waiting, now);
  for (const [key, item] of turn.items) item === null ? memory.delete(key) : memory.set(key, item);
  if (turn.changes.length === 0) return [];
  const message = renderActivity({
    changes: turn.changes,
    now,
    mode: turn.kind === 'summary' ? 'summary' : 'live',
    because: turn.because ?? undefined,
    since: turn.since,
    endedSubscription: turn.ended.length > 0,
    look: { ...plainLook, offers: [] },
  });
  return asSlackShows(asSeen(message))
    .split('\n')
    .filter((line) => /^ {2}[|.] /.test(line))
    .map((line) => line.slice(4));
}

/** Runs each event in a turn of its own and returns the lines of the last one. */
async function lastOf(reports: readonly Report[]): Promise<string[]> {
  const memory = new Map<string, KnownItem>();
  let lines: string[] = [];
  for (const report of reports) lines = await linesOf([report], { memory });
  return lines;
}

test.for<[string, Report, string]>([
  ['a file is created', file({ type: 'Create', name: 'A.pdf' }), '➕ *Dana Ek* added *A.pdf* to Plans'],
  [
    'a file is renamed, moved or checked in',
    file({ name: 'A.pdf' }),
    '🔁 *Dana Ek* updated *A.pdf* in Plans',
  ],
  ['a file is deleted', file({ type: 'Delete', name: 'A.pdf' }), '🗑️ *Dana Ek* deleted *A.pdf* from Plans'],
  [
    'a folder is created',
    folder({ type: 'Create', name: 'Level 1' }),
    '➕ *Dana Ek* added folder *Level 1* to Plans',
  ],
  [
    'a folder is renamed or moved',
    folder({ name: 'Level 1' }),
    '🔁 *Dana Ek* updated folder *Level 1* in Plans',
  ],
  [
    'a folder is deleted',
    folder({ type: 'Delete', name: 'Level 1' }),
    '🗑️ *Dana Ek* deleted folder *Level 1* from Plans',
  ],
  ['a project is renamed', project({ name: 'Tower' }), '✏️ *Dana Ek* renamed the project to *Tower*'],
  ['a project is deleted', project({ type: 'Delete', name: 'Tower' }), '🗑️ *Dana Ek* deleted project *Tower*'],
  ['a session changes', session({ name: 'Review' }), '🔁 *Dana Ek* updated session *Review*'],
  [
    'a session is deleted',
    session({ type: 'Delete', name: 'Review' }),
    '🗑️ *Dana Ek* deleted session *Review*',
  ],
  [
    'a document is added',
    document({ type: 'Create', name: 'Agenda.pdf' }),
    '➕ *Dana Ek* added document *Agenda.pdf*',
  ],
  ['a document changes', document({ name: 'Agenda.pdf' }), '🔁 *Dana Ek* updated document *Agenda.pdf*'],
  [
    'a document is deleted',
    document({ type: 'Delete', name: 'Agenda.pdf' }),
    '🗑️ *Dana Ek* deleted document *Agenda.pdf*',
  ],
])('seen for the first time: %s', async ([, report, sentence]) => {
  expect((await lastOf([report]))[0]).toBe(sentence);
});

test.for<[string, Report, Report, string]>([
  [
    'a file is renamed',
    file({ type: 'Create', name: 'A.pdf' }),
    file({ name: 'B.pdf' }),
    '✏️ *Dana Ek* renamed *A.pdf* → *B.pdf* in Plans',
  ],
  [
    'a file is moved',
    file({ type: 'Create', name: 'A.pdf' }),
    file({ name: 'A.pdf', in: 'Details' }),
    '📂 *Dana Ek* moved *A.pdf*: Plans → Details',
  ],
  [
    'a file is renamed and moved at once',
    file({ type: 'Create', name: 'A.pdf' }),
    file({ name: 'B.pdf', in: 'Details' }),
    '📂 *Dana Ek* renamed *A.pdf* → *B.pdf* and moved it: Plans → Details',
  ],
  [
    'a file is checked in',
    file({ type: 'Create', name: 'A.pdf' }),
    file({ name: 'A.pdf' }),
    '🔁 *Dana Ek* updated *A.pdf* in Plans',
  ],
  [
    'a file is deleted under a different name than before',
    file({ type: 'Create', name: 'A.pdf' }),
    file({ type: 'Delete', name: 'B.pdf' }),
    '🗑️ *Dana Ek* deleted *B.pdf* from Plans',
  ],
  [
    'a folder is renamed',
    folder({ type: 'Create', name: 'Level 1' }),
    folder({ name: 'Ground' }),
    '✏️ *Dana Ek* renamed folder *Level 1* → *Ground* in Plans',
  ],
  [
    'a folder is moved',
    folder({ type: 'Create', name: 'Level 1' }),
    folder({ name: 'Level 1', in: 'Archive' }),
    '📂 *Dana Ek* moved folder *Level 1*: Plans → Archive',
  ],
  [
    'a project is renamed',
    project({ name: 'Tower' }),
    project({ name: 'Tower B' }),
    '✏️ *Dana Ek* renamed project *Tower* → *Tower B*',
  ],
  [
    'a session is renamed',
    session({ name: 'Review' }),
    session({ name: 'Review 2' }),
    '✏️ *Dana Ek* renamed session *Review* → *Review 2*',
  ],
  [
    'a session gets another expiration date or is finalized',
    session({ name: 'Review' }),
    session({ name: 'Review' }),
    '⏳ *Dana Ek* updated session *Review* (expiry or status)',
  ],
  [
    'a document is renamed',
    document({ type: 'Create', name: 'Agenda.pdf' }),
    document({ name: 'Minutes.pdf' }),
    '✏️ *Dana Ek* renamed document *Agenda.pdf* → *Minutes.pdf*',
  ],
])('known before: %s', async ([, before, report, sentence]) => {
  expect((await lastOf([before, report]))[0]).toBe(sentence);
});

test('out of order: an event that arrives after its file was deleted claims no more than the service says', async () => {
  const made = file({ type: 'Create', name: 'A.pdf' });
  const gone = file({ type: 'Delete', name: 'A.pdf' });
  expect(await lastOf([made, gone, file({ name: 'B.pdf' })])).toEqual([
    '🔁 *Dana Ek* updated *B.pdf* in Plans',
  ]);
  expect(await lastOf([gone, made])).toEqual(['➕ *Dana Ek* added *A.pdf* to Plans']);
});

test('repeated: the same rename again is reported as a change, because nothing more is known', async () => {
  const made = file({ type: 'Create', name: 'A.pdf' });
  const renamed = folder({ name: 'Ground', id: 'd1' });
  const earlier = { ...renamed, at: minutesAgo(1) };
  expect(await lastOf([folder({ type: 'Create', name: 'Level 1' }), earlier, renamed])).toEqual([
    '🔁 *Dana Ek* updated folder *Ground* in Plans',
  ]);
  expect(await linesOf([made, file({ name: 'B.pdf' }), file({ name: 'C.pdf' })])).toEqual([
    '➕ *Dana Ek* added *A.pdf* to Plans',
    '✏️ *Dana Ek* renamed *A.pdf* → *C.pdf* in Plans, 2 times · ⟨14:03 UTC⟩',
  ]);
});

test.for<[number, string]>([
  [1, '➕ *Dana Ek* added *Sheet 1.pdf* to Plans'],
  [2, '➕ *Dana Ek* added 2 files to Plans: *Sheet 1.pdf* and *Sheet 2.pdf*'],
  [4, '➕ *Dana Ek* added 4 files to Plans: *Sheet 1.pdf*, *Sheet 2.pdf*, *Sheet 3.pdf* and *Sheet 4.pdf*'],
  [50, '➕ *Dana Ek* added 50 files to Plans: *Sheet 1.pdf*, *Sheet 2.pdf*, *Sheet 3.pdf* and 47 more'],
])('%i at once', async ([count, sentence]) => {
  const reports = Array.from({ length: count }, (_, at) =>
    file({ type: 'Create', name: `Sheet ${at + 1}.pdf`, id: `f${at}` }),
  );
  expect(await linesOf(reports)).toEqual([sentence]);
});

const two = ['A.pdf', 'B.pdf'].map((name) => file({ type: 'Create', name, id: name, at: minutesAgo(50) }));
const counts = '*Project 412-873-550* · 2 added';
const added = '➕ *Dana Ek* added 2 files to Plans: *A.pdf* and *B.pdf*';

test.for<[string, Setting, string[]]>([
  ['late', { receivedAt: now }, [added, 'Happened at ⟨13:13 UTC⟩']],
  [
    'muted',
    { summary: 'muted', receivedAt: minutesAgo(50) },
    ['While muted: 2 changes since ⟨20 Nov 2026, 13:13 UTC⟩', counts, added],
  ],
  [
    'paused',
    { summary: 'paused', receivedAt: minutesAgo(50) },
    ['While paused: 2 changes since ⟨20 Nov 2026, 13:13 UTC⟩', counts, added],
  ],
])('%s', async ([, setting, lines]) => {
  expect(await linesOf(two, setting)).toEqual(lines);
});

test('when the followed resource is deleted, the last message says that the subscription ended', async () => {
  expect(await linesOf([project({ type: 'Delete', name: 'Tower' })])).toEqual([
    '🗑️ *Dana Ek* deleted project *Tower*',
    'Subscription ended: the project was deleted',
  ]);
});
