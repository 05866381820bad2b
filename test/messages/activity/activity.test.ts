import { expect, test } from 'vitest';
import type { Change } from '../../../src/core/model/change.ts';
import {
  type Activity,
  activityMenu,
  menuActs,
  plainLook,
  renderActivity,
} from '../../../src/messages/activity/activity.ts';
import { deeds } from '../../../src/messages/activity/deeds.ts';
import { groupChanges } from '../../../src/messages/activity/grouping.ts';
import type { Message } from '../../../src/messages/text/message.ts';
import { asSeen, readable } from '../as-seen.ts';
import { asSlackShows } from '../as-slack-reads.ts';
import { harbourTower, makeChange, minutesAgo, now, weeklyReview } from '../changes.ts';

function render(changes: readonly Change[], more: Partial<Activity> = {}): Message {
  return renderActivity({ changes, now, mode: 'live', ...more });
}

/** Returns a whole message, as a person sees it. */
function seen(changes: readonly Change[], more: Partial<Activity> = {}): string {
  return asSlackShows(asSeen(render(changes, more)));
}

/** Returns what is read in the channel: the lines of the blocks, without text, menu and buttons. */
function linesOf(changes: readonly Change[], more: Partial<Activity> = {}): string[] {
  return seen(changes, more)
    .split('\n')
    .filter((line) => /^ {2}[|.] /.test(line))
    .map((line) => line.slice(4));
}

/** Returns what notifications and screen readers get. */
function textOf(changes: readonly Change[], more: Partial<Activity> = {}): string {
  return asSlackShows(render(changes, more).text);
}

const files = (count: number, more: Partial<Change> = {}) =>
  Array.from({ length: count }, (_, index) => makeChange({ name: `Sheet ${index + 1}.pdf`, ...more }));

const folder = { kind: 'folder', name: 'Level 2', folder: ['Plans'] } as const;
const project = { kind: 'project', name: 'Harbour Tower', folder: null } as const;
const session = { kind: 'session', name: 'Façade review', folder: null, within: weeklyReview } as const;
const document = { kind: 'document', name: 'Agenda.pdf', folder: null, within: weeklyReview } as const;

test.for<[string, Partial<Change>, string]>([
  ['a file added', {}, '➕ *Dana Ek* added *Level 1.pdf* to Plans › Level 1'],
  ['a file added, its folder unknown', { folder: null }, '➕ *Dana Ek* added *Level 1.pdf*'],
  ['a file added at the root', { folder: [] }, '➕ *Dana Ek* added *Level 1.pdf* to the top level'],
  ['a file without a name', { name: null }, '➕ *Dana Ek* added a file to Plans › Level 1'],
  [
    'an item that may be a file or a folder',
    { name: null, kind: 'item' },
    '➕ *Dana Ek* added an item to Plans › Level 1',
  ],
  [
    'a file renamed, known before',
    { verb: 'renamed', previousName: 'Old.pdf' },
    '✏️ *Dana Ek* renamed *Old.pdf* → *Level 1.pdf* in Plans › Level 1',
  ],
  [
    'a file renamed, its old name unknown',
    { verb: 'renamed' },
    '✏️ *Dana Ek* renamed a file to *Level 1.pdf* in Plans › Level 1',
  ],
  [
    'a file moved',
    { verb: 'moved', previousFolder: ['Inbox'] },
    '📂 *Dana Ek* moved *Level 1.pdf*: Inbox → Plans › Level 1',
  ],
  [
    'a file moved from the root',
    { verb: 'moved', previousFolder: [] },
    '📂 *Dana Ek* moved *Level 1.pdf*: the top level → Plans › Level 1',
  ],
  [
    'a file moved, its old folder unknown or not for this channel',
    { verb: 'moved' },
    '📂 *Dana Ek* moved *Level 1.pdf*: another folder → Plans › Level 1',
  ],
  [
    'a file renamed and moved',
    { verb: 'renamed and moved', previousName: 'Old.pdf', previousFolder: ['Inbox'] },
    '📂 *Dana Ek* renamed *Old.pdf* → *Level 1.pdf* and moved it: Inbox → Plans › Level 1',
  ],
  ['a file checked in', { verb: 'updated' }, '🔁 *Dana Ek* updated *Level 1.pdf* in Plans › Level 1'],
  ['a file first seen', { verb: 'updated' }, '🔁 *Dana Ek* updated *Level 1.pdf* in Plans › Level 1'],
  ['a file deleted', { verb: 'deleted' }, '🗑️ *Dana Ek* deleted *Level 1.pdf* from Plans › Level 1'],
  ['a folder added', folder, '➕ *Dana Ek* added folder *Level 2* to Plans'],
  [
    'a folder renamed',
    { ...folder, verb: 'renamed', previousName: 'L2' },
    '✏️ *Dana Ek* renamed folder *L2* → *Level 2* in Plans',
  ],
  [
    'a folder moved',
    { ...folder, verb: 'moved', previousFolder: ['Inbox'] },
    '📂 *Dana Ek* moved folder *Level 2*: Inbox → Plans',
  ],
  [
    'a folder is never checked in',
    { ...folder, verb: 'updated' },
    '🔁 *Dana Ek* updated folder *Level 2* in Plans',
  ],
  ['a folder deleted', { ...folder, verb: 'deleted' }, '🗑️ *Dana Ek* deleted folder *Level 2* from Plans'],
  [
    'a project renamed, known before',
    { ...project, verb: 'renamed', previousName: 'Harbor Tower' },
    '✏️ *Dana Ek* renamed project *Harbor Tower* → *Harbour Tower*',
  ],
  [
    'a project renamed, its old name unknown',
    { ...project, verb: 'renamed' },
    '✏️ *Dana Ek* renamed the project to *Harbour Tower*',
  ],
  ['a project deleted', { ...project, verb: 'deleted' }, '🗑️ *Dana Ek* deleted project *Harbour Tower*'],
  [
    'a nameless project deleted',
    { ...project, name: null, verb: 'deleted' },
    '🗑️ *Dana Ek* deleted the project',
  ],
  [
    'a session renamed',
    { ...session, verb: 'renamed', previousName: 'Facade' },
    '✏️ *Dana Ek* renamed session *Facade* → *Façade review*',
  ],
  [
    'a session that expires or is finalized',
    { ...session, verb: 'session changed' },
    '⏳ *Dana Ek* updated session *Façade review* (expiry or status)',
  ],
  ['a session first seen', { ...session, verb: 'updated' }, '🔁 *Dana Ek* updated session *Façade review*'],
  ['a session deleted', { ...session, verb: 'deleted' }, '🗑️ *Dana Ek* deleted session *Façade review*'],
  ['a document added', document, '➕ *Dana Ek* added document *Agenda.pdf*'],
  ['a document deleted', { ...document, verb: 'deleted' }, '🗑️ *Dana Ek* deleted document *Agenda.pdf*'],
  [
    'an event of unknown type',
    { verb: 'other', eventType: 'Share' },
    '🔔 Something happened to *Level 1.pdf* in Plans › Level 1, by *Dana Ek*: “Share”',
  ],
  [
    'a resource of unknown kind',
    { kind: 'other', resourceType: 'Markups', folder: null },
    '➕ *Dana Ek* added “Markups” *Level 1.pdf*',
  ],
  [
    'a nameless resource of a type this release does not know',
    { kind: 'other', resourceType: 'Markups', name: null, folder: null },
    '➕ *Dana Ek* added an item of type “Markups”',
  ],
  [
    'a resource whose type the service did not send',
    { kind: 'other', resourceType: '', folder: null },
    '➕ *Dana Ek* added *Level 1.pdf*',
  ],
  [
    'a nameless resource whose type the service did not send',
    { kind: 'other', resourceType: '', name: null, folder: null },
    '➕ *Dana Ek* added an item of an unknown type',
  ],
  [
    'an email address that Slack does not know',
    { actorName: null },
    '➕ *dana.ek* added *Level 1.pdf* to Plans › Level 1',
  ],
  [
    'an unknown person',
    { actorName: ' ', actorEmail: '' },
    '➕ *Someone* added *Level 1.pdf* to Plans › Level 1',
  ],
])('%s', ([, change, sentence]) => {
  expect(linesOf([makeChange(change)])).toEqual([sentence]);
});

test('several resources of a type this release does not know are counted', () => {
  const markup = { kind: 'other', resourceType: 'Markups', folder: null } as const;
  expect(linesOf([makeChange({ ...markup, name: 'a' }), makeChange({ ...markup, name: 'b' })])).toEqual([
    '➕ *Dana Ek* added 2 items of type “Markups”: *a* and *b*',
  ]);
});

test('the text without blocks says the same in words, without signs and arrows', () => {
  const moved = makeChange({ verb: 'moved', previousFolder: ['Inbox'] });
  const renamed = makeChange({ verb: 'renamed', previousName: 'Old.pdf' });
  expect(textOf([moved])).toBe('Dana Ek moved “Level 1.pdf” from Inbox to Plans › Level 1.');
  expect(textOf([renamed])).toBe('Dana Ek renamed “Old.pdf” to “Level 1.pdf” in Plans › Level 1.');
});

test('a workspace that turned off signs sees none', () => {
  const look = { ...plainLook, signs: false };
  const all = Object.keys(deeds) as Change['verb'][];
  const lines = linesOf(
    all.map((verb) => makeChange({ verb })),
    { look },
  );
  for (const { sign } of Object.values(deeds)) expect(lines.join()).not.toContain(sign);
});

test.for<[number, string[]]>([
  [1, ['➕ *Dana Ek* added *Sheet 1.pdf* to Plans › Level 1']],
  [2, ['➕ *Dana Ek* added 2 files to Plans › Level 1: *Sheet 1.pdf* and *Sheet 2.pdf*']],
  [
    4,
    [
      '➕ *Dana Ek* added 4 files to Plans › Level 1: *Sheet 1.pdf*, *Sheet 2.pdf*, *Sheet 3.pdf* and *Sheet 4.pdf*',
    ],
  ],
  [
    50,
    [
      '➕ *Dana Ek* added 50 files to Plans › Level 1: *Sheet 1.pdf*, *Sheet 2.pdf*, *Sheet 3.pdf* and 47 more',
    ],
  ],
])('%i files at once', ([count, lines]) => {
  expect(linesOf(files(count))).toEqual(lines);
  expect(seen(files(count)).includes(`[Show all ${count}]`)).toBe(count > 1);
});

test.for<[string, Partial<Activity>, string]>([
  [
    'muted',
    { because: 'muted', since: minutesAgo(60) },
    'While muted: 2 changes since ⟨20 Nov 2026, 13:03 UTC⟩',
  ],
  ['paused', { because: 'paused' }, 'While paused: 2 changes'],
  ['away', { because: 'away' }, 'While I wasn’t in this channel: 2 changes'],
  ['archived', { because: 'archived' }, 'While this channel was archived: 2 changes'],
  ['closed', { because: 'closed' }, 'While I couldn’t post here: 2 changes'],
  ['a digest', { because: 'digest', since: minutesAgo(60) }, '*Since ⟨20 Nov 2026, 13:03 UTC⟩*: 2 changes'],
  ['too old', { skipped: 3 }, '2 changes. 3 changes older than a week were skipped'],
])('a summary says in its title why it was held: %s', ([, more, title]) => {
  expect(linesOf(files(2), { mode: 'summary', ...more })[0]).toBe(title);
});

test('a summary with only changes that were too old says so', () => {
  expect(linesOf([], { mode: 'summary', skipped: 1, because: 'paused' })).toEqual([
    'While paused: 1 change older than a week was skipped',
  ]);
});

test('the announcement before a summary is part of the same message', () => {
  const lead = {
    text: 'Dana unmuted this channel.',
    blocks: [
      {
        type: 'section' as const,
        text: { type: 'mrkdwn' as const, text: 'Dana unmuted this channel.', verbatim: true },
      },
    ],
  };
  const more = { mode: 'summary', because: 'muted', lead } as const;
  expect(linesOf(files(2), more).slice(0, 2)).toEqual([
    'Dana unmuted this channel.',
    'While muted: 2 changes',
  ]);
  expect(textOf(files(2), more)).toMatch(
    /^Dana unmuted this channel\. While muted: 2 changes\. Harbour Tower · 2 added\. Dana Ek added/,
  );
});

const digest = { mode: 'summary', because: 'digest' } as const;

test('a digest names each project with its counts, then what must be noticed, then the rest by folder', () => {
  const changes = [
    makeChange({ name: 'b.pdf', folder: ['Plans'] }),
    makeChange({ name: 'a.pdf', folder: ['Admin'] }),
    makeChange({ ...document, name: 'Minutes.pdf' }),
    makeChange({ name: 'c.pdf', folder: ['Plans'], verb: 'updated' }),
    makeChange({ name: 'd.pdf', folder: ['Plans'], verb: 'deleted' }),
  ];
  expect(linesOf(changes, { ...digest, since: minutesAgo(60) })).toEqual([
    '*Since ⟨20 Nov 2026, 13:03 UTC⟩*: 5 changes in 1 project and 1 session',
    '*Harbour Tower* · 2 added, 1 updated, 1 deleted',
    '🗑️ *Dana Ek* deleted *d.pdf* from Plans',
    '➕ *Dana Ek* added *a.pdf* to Admin',
    '➕ *Dana Ek* added *b.pdf* to Plans',
    '🔁 *Dana Ek* updated *c.pdf* in Plans',
    '*Weekly review* · 1 added',
    '➕ *Dana Ek* added document *Minutes.pdf*',
  ]);
});

test('a digest has one row for an item, whatever happened to it', () => {
  const max = { actorEmail: 'max@example.com', actorName: 'Max Roth' };
  const [added, saved] = [makeChange(), makeChange({ verb: 'updated' })];
  expect(linesOf([added, saved, makeChange({ verb: 'updated', ...max }), saved], digest).slice(2)).toEqual([
    '🔁 *Level 1.pdf* in Plans › Level 1: added, updated 3 times · *Dana Ek*, *Max Roth*',
  ]);
  const renamed = makeChange({
    itemId: '1',
    verb: 'renamed',
    previousName: 'Level 1.pdf',
    name: 'Level 2.pdf',
  });
  expect(linesOf([makeChange({ itemId: '1' }), renamed], digest).slice(2)).toEqual([
    '✏️ *Level 2.pdf* (was *Level 1.pdf*) in Plans › Level 1: added, renamed · *Dana Ek*',
  ]);
  expect(linesOf([added, makeChange({ verb: 'deleted' }), added], digest).slice(2)).toEqual([
    '➕ *Level 1.pdf* in Plans › Level 1: added, deleted, added · *Dana Ek*',
  ]);
});

test('files that one person added to a folder are one row of a digest, however many they are', () => {
  expect(linesOf(files(24), digest).slice(1)).toEqual([
    '*Harbour Tower* · 24 added',
    '➕ *Dana Ek* added 24 files to Plans › Level 1: *Sheet 1.pdf*, *Sheet 2.pdf*, *Sheet 3.pdf* and 21 more',
  ]);
});

test('a digest lists as many rows as there is room for, and counts the rest', () => {
  const changes = Array.from({ length: 300 }, (_, index) => makeChange({ folder: [`Folder ${index}`] }));
  const message = seen(changes, digest);
  expect(message).toMatch(/… and \d+ more changes/);
  expect(message).toContain('[Show all 300]');
});

test('a long digest names every project and session, and neither hides a deletion nor a finalized session', () => {
  const tower = Array.from({ length: 120 }, (_, n) =>
    makeChange({ name: `T-${n}.pdf`, folder: [`Lot ${n}`] }),
  );
  const school = { kind: 'project', id: '538-204-917', name: 'Riverside School' } as const;
  const deleted = makeChange({ verb: 'deleted', name: 'Stair.pdf', folder: ['Z'], within: school });
  const others = Array.from({ length: 5 }, (_, n) => makeChange({ folder: [`A ${n}`], within: school }));
  const lines = linesOf(
    [...tower, ...others, deleted, makeChange({ ...session, verb: 'session changed' })],
    digest,
  );
  const order = [
    'Harbour Tower*',
    'Lot 0',
    'Riverside School*',
    'Stair.pdf',
    'A 4',
    'Weekly review*',
    'Façade review',
  ];
  const found = order.map((words) => lines.findIndex((line) => line.includes(words)));
  expect(found).not.toContain(-1);
  expect(found).toEqual(found.toSorted((a, b) => a - b));
  // Also those of other projects than the last.
  expect(lines.at(-1)).toMatch(/^… and \d+ more changes in these 2 projects and 1 session$/);
});

test('a message about several items has Show all, even if it names each of them', () => {
  const folders = ['Plans', 'Details', 'Admin'].map((folder) => makeChange({ folder: [folder] }));
  expect(seen(folders)).toContain('[Show all 3]');
  expect(seen(files(2), digest)).toContain('[Show all 2]');
  expect(seen(files(12), digest)).toContain('[Show all 12]');
  const saves = [makeChange({ itemId: 'a' }), makeChange({ itemId: 'a', verb: 'updated' })];
  expect(seen(saves)).not.toContain('Show all');
  expect(seen(saves, digest)).not.toContain('Show all');
  expect(seen([], { ...digest, skipped: 3 })).not.toContain('Show all');
});

test('other people, verbs and places get sentences of their own, in the order of first occurrence; files and folders share one', () => {
  const changes = [
    makeChange({ name: '1.pdf' }),
    makeChange({ name: '2.pdf', actorEmail: 'max@example.com', actorName: 'Max Roth' }),
    makeChange({ name: '3.pdf' }),
    makeChange({ name: '4.pdf', verb: 'deleted' }),
    makeChange({ name: '5', kind: 'folder' }),
    makeChange({ name: '6.pdf', folder: ['Admin'] }),
  ];
  expect(groupChanges(changes).map(({ changes: group }) => group.map(({ name }) => name))).toEqual([
    ['1.pdf', '3.pdf', '5'],
    ['2.pdf'],
    ['4.pdf'],
    ['6.pdf'],
  ]);
  expect(linesOf(changes)[0]).toMatch(/added 2 files and 1 folder to .*: \*1\.pdf\*, \*3\.pdf\* and \*5\*$/);
});

test('files moved from different folders are separate lines', () => {
  const move = { verb: 'moved', folder: ['Archive'] } as const;
  const lines = linesOf([
    makeChange({ ...move, name: '1.pdf', previousFolder: ['Plans'] }),
    makeChange({ ...move, name: '2.pdf', previousFolder: ['Admin'] }),
  ]);
  expect(lines).toEqual([
    '📂 *Dana Ek* moved *1.pdf*: Plans → Archive',
    '📂 *Dana Ek* moved *2.pdf*: Admin → Archive',
  ]);
});

test('an address in another letter case is the same person', () => {
  const changes = [
    makeChange({ name: '1.pdf' }),
    makeChange({ name: '2.pdf', actorEmail: 'DANA.EK@example.com' }),
  ];
  expect(groupChanges(changes)).toHaveLength(1);
});

test('a file that was added, deleted and added again is shown in that order', () => {
  const lines = linesOf([makeChange(), makeChange({ verb: 'deleted' }), makeChange()]);
  expect(lines.map((line) => line.split(' ')[3])).toEqual(['added', 'deleted', 'added']);
});

test('a renamed file keeps its order with later changes under its new name', () => {
  const changes = [
    makeChange({ verb: 'deleted', name: 'b.pdf' }),
    makeChange({ verb: 'renamed', previousName: 'a.pdf', name: 'b.pdf' }),
    makeChange({ verb: 'deleted', name: 'b.pdf' }),
  ];
  expect(groupChanges(changes).map(({ first }) => first.verb)).toEqual(['deleted', 'renamed', 'deleted']);
});

test.for([null, 'item-1'])(
  'one file renamed 60 times is one file, from its first name to its last (id %o)',
  (itemId) => {
    const renames = Array.from({ length: 60 }, (_, index) =>
      makeChange({ verb: 'renamed', itemId, previousName: `${index}.pdf`, name: `${index + 1}.pdf` }),
    );
    expect(linesOf(renames)).toEqual([
      '✏️ *Dana Ek* renamed *0.pdf* → *60.pdf* in Plans › Level 1, 60 times · ⟨14:03 UTC⟩',
    ]);
  },
);

test('two files with the same name are two files if their ids differ', () => {
  const changes = ['1', '2'].map((itemId) => makeChange({ itemId, verb: 'updated', folder: null }));
  expect(groupChanges(changes).map(({ things }) => things.length)).toEqual([2]);
});

test('a file saved repeatedly says how often and when', () => {
  const saved = (minutes: number, name = 'Level 1.pdf') =>
    makeChange({ verb: 'updated', name, happenedAt: minutesAgo(minutes) });
  expect(linesOf([saved(4), saved(3), saved(1)])).toEqual([
    '🔁 *Dana Ek* updated *Level 1.pdf* 3 times in Plans › Level 1 · ⟨13:59 UTC⟩–⟨14:02 UTC⟩',
  ]);
  expect(readable(textOf([saved(4), saved(3), saved(1)]))).toBe(
    'Dana Ek updated “Level 1.pdf” 3 times in Plans › Level 1 · ⟨13:59 UTC⟩ to ⟨14:02 UTC⟩.',
  );
  const several = [saved(4, 'a'), saved(3, 'b'), saved(2, 'a'), saved(2, 'c'), saved(1, 'a')];
  expect(linesOf(several)).toEqual([
    '🔁 *Dana Ek* updated 3 files in Plans › Level 1:',
    '• *a*, 3 times, ⟨13:59 UTC⟩–⟨14:02 UTC⟩',
    '• *b*',
    '• *c*',
  ]);
});

test('a name that holds a formatting character is code, others are bold', () => {
  expect(linesOf([makeChange({ name: 'A-101_Plan_rev_B.pdf' })])[0]).toContain(
    'added *A-101_Plan_rev_B.pdf* to',
  );
  expect(linesOf([makeChange({ name: '_draft_ *A*.pdf' })])[0]).toContain('added `_draft_ *A*.pdf` to');
});

test('a reply in a thread does not repeat where its file is, but says where it was moved to', () => {
  const look = { ...plainLook, places: true, isReply: true };
  expect(linesOf([makeChange({ verb: 'updated' })], { look })).toEqual([
    '🔁 *Dana Ek* updated *Level 1.pdf*',
  ]);
  expect(linesOf([makeChange({ verb: 'moved', previousFolder: ['Inbox'] })], { look })).toEqual([
    '📂 *Dana Ek* moved *Level 1.pdf*: Inbox → Plans › Level 1',
  ]);
});

test('files without names are counted', () => {
  expect(linesOf(files(3, { name: null }))).toEqual(['➕ *Dana Ek* added 3 files to Plans › Level 1']);
});

test('several renames show the old and the new name of each file', () => {
  const lines = linesOf([
    makeChange({ verb: 'renamed', previousName: 'a.pdf', name: 'b.pdf' }),
    makeChange({ verb: 'renamed', previousName: 'c.pdf', name: 'd.pdf' }),
  ]);
  expect(lines).toEqual([
    '✏️ *Dana Ek* renamed 2 files in Plans › Level 1: *a.pdf* → *b.pdf* and *c.pdf* → *d.pdf*',
  ]);
});

test('the project stands first, once, and only if the channel has more than one subscription', () => {
  const changes = [makeChange(), makeChange({ verb: 'deleted', name: 'x' })];
  const look = { ...plainLook, places: true };
  expect(seen(changes)).not.toContain('Harbour Tower');
  expect(linesOf(changes, { look })).toEqual([
    '*Harbour Tower*',
    '➕ *Dana Ek* added *Level 1.pdf* to Plans › Level 1',
    '🗑️ *Dana Ek* deleted *x* from Plans › Level 1',
  ]);
  expect(textOf(changes, { look })).toMatch(/^Harbour Tower: Dana Ek added/);
});

test('a project and a session in one message are both named', () => {
  const changes = [makeChange(), makeChange(document)];
  const lines = linesOf(changes, { look: { ...plainLook, places: true } });
  expect([lines[0], lines[2]]).toEqual(['*Harbour Tower*', '*Weekly review*']);
});

test('an id is shown only if no name is known', () => {
  const look = { ...plainLook, places: true };
  expect(linesOf([makeChange({ within: { ...harbourTower, name: null } })], { look })[0]).toBe(
    '*Project 123-456-789*',
  );
});

test.for<[number, string | null]>([
  [4, null],
  [6, 'Happened ⟨20 Nov 2026, 13:57 UTC⟩'],
  [2_000, 'Happened ⟨19 Nov 2026, 04:43 UTC⟩'],
])('%i minutes late: %o', ([minutes, line]) => {
  expect(linesOf([makeChange({ happenedAt: minutesAgo(minutes) })]).slice(1)).toEqual(
    line === null ? [] : [line],
  );
});

test.for([new Date(Number.NaN), new Date(0), new Date(8.64e15)])(
  'the invalid time %o breaks nothing',
  (happenedAt) => {
    const text = textOf([makeChange({ happenedAt })]);
    expect(text).toMatch(/^Dana Ek added/);
    expect(text).not.toContain('<!date');
  },
);

test('a name is a link if the admin set a URL, unless the item was deleted', () => {
  const url = 'https://plans.example/p/1?item=a|b';
  const [added] = linesOf([makeChange({ url })]);
  const [deleted] = linesOf([makeChange({ url, verb: 'deleted' })]);
  expect(added).toContain('added <https://plans.example/p/1?item=a%7Cb|Level 1.pdf> to');
  expect(deleted).toContain('deleted *Level 1.pdf* from');
});

test('the last message about a deleted resource says that its subscription has ended', () => {
  const change = makeChange({ ...session, verb: 'deleted' });
  expect(linesOf([change], { endedSubscription: true })[1]).toBe(
    'Subscription ended: the session was deleted',
  );
});

test("a live message without changes is a caller's mistake", () => {
  expect(() => renderActivity({ changes: [], now, mode: 'live' })).toThrow(RangeError);
});

test('groups that do not fit into a message are counted, and the button shows all of them', () => {
  const changes = Array.from({ length: 30 }, (_, index) => makeChange({ folder: [`Folder ${index}`] }));
  const message = seen(changes);
  expect(message).toContain('… and 10 more changes');
  expect(message).toContain('[Show all 30]');
});

test('the menu of one change offers the actions that apply, and its values contain only the event id', () => {
  const seq = '9007199254740993';
  const asking = (act: string) => JSON.stringify({ act, seq });
  const menu = activityMenu([makeChange({ eventId: seq })], menuActs);
  expect(menu?.options.map(({ text, value }) => [text.text, value])).toEqual([
    ['Mute this file here', asking('mute-item')],
    ['Hide Dana Ek’s changes here', asking('hide-person')],
    ['Follow it in a DM', asking('follow-item')],
    ['Edit subscription', asking('edit-shown')],
    ['Why am I seeing this?', JSON.stringify({ act: 'why-message' })],
  ]);
});

test.for<[string, readonly Change[], string[]]>([
  [
    'several people',
    [makeChange({ eventId: '1' }), makeChange({ eventId: '2', actorEmail: 'x@y.z' })],
    ['edit-shown', 'why-message'],
  ],
  [
    'one person',
    [makeChange({ eventId: '1' }), makeChange({ eventId: '2', name: 'x' })],
    ['hide-person', 'edit-shown', 'why-message'],
  ],
  [
    'a project itself',
    [makeChange({ ...project, eventId: '1' })],
    ['hide-person', 'edit-shown', 'why-message'],
  ],
  [
    'a deleted file',
    [makeChange({ verb: 'deleted', eventId: '1' })],
    ['hide-person', 'edit-shown', 'why-message'],
  ],
  [
    'an unknown person',
    [makeChange({ actorEmail: null, eventId: '1' })],
    ['mute-item', 'follow-item', 'edit-shown', 'why-message'],
  ],
])('the menu of a message about %s has what applies to it', ([, changes, acts]) => {
  const menu = activityMenu(changes, menuActs);
  expect(menu?.options.map(({ value }) => JSON.parse(value ?? '').act)).toEqual(acts);
});
