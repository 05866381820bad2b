import { expect, test } from 'vitest';
import type { Change } from '../../../src/core/model/change.ts';
import { type Activity, renderActivity } from '../../../src/messages/activity/activity.ts';
import { groupChanges } from '../../../src/messages/activity/grouping.ts';
import { asSeen } from '../as-seen.ts';
import { asSlackShows } from '../as-slack-reads.ts';
import { makeChange, minutesAgo, now, weeklyReview } from '../changes.ts';

function seen(changes: readonly Change[], more: Partial<Activity> = {}): string {
  return asSlackShows(asSeen(renderActivity({ changes, now, mode: 'live', showAllValue: 'v', ...more })));
}

/** The first sentence of the text. */
function sentenceOf(change: Partial<Change>): string {
  const { text } = renderActivity({ changes: [makeChange({ within: null, ...change })], now, mode: 'live' });
  return asSlackShows(text).replace(/, <!date.*$/, '');
}

const files = (count: number, more: Partial<Change> = {}) =>
  Array.from({ length: count }, (_, index) => makeChange({ name: `${index + 1}.pdf`, ...more }));

test.for<[Partial<Change>, string]>([
  [{}, 'Dana Ek added “Level 1.pdf” to Plans / Level 1'],
  [{ folder: null }, 'Dana Ek added “Level 1.pdf”'],
  [{ folder: [] }, 'Dana Ek added “Level 1.pdf” to the top level'],
  [{ verb: 'updated', folder: [] }, 'Dana Ek updated “Level 1.pdf” at the top level'],
  [{ name: null }, 'Dana Ek added a file to Plans / Level 1'],
  [{ name: null, kind: 'item' }, 'Dana Ek added an item to Plans / Level 1'],
  [{ kind: 'folder', name: 'Level 2' }, 'Dana Ek added the folder “Level 2” to Plans / Level 1'],
  [
    { verb: 'renamed', previousName: 'Old.pdf' },
    'Dana Ek renamed “Old.pdf” to “Level 1.pdf” in Plans / Level 1',
  ],
  [{ verb: 'renamed', previousName: null }, 'Dana Ek renamed “Level 1.pdf” in Plans / Level 1'],
  [
    { verb: 'renamed', previousName: 'Level\u200B 1.pdf' },
    'Dana Ek renamed “Level 1.pdf” (only in characters that cannot be seen) in Plans / Level 1',
  ],
  [{ verb: 'moved', previousFolder: ['Inbox'] }, 'Dana Ek moved “Level 1.pdf” from Inbox to Plans / Level 1'],
  [{ verb: 'moved' }, 'Dana Ek moved “Level 1.pdf” to Plans / Level 1'],
  [
    { verb: 'renamed and moved', previousName: 'Old.pdf', previousFolder: [] },
    'Dana Ek renamed “Old.pdf” to “Level 1.pdf” and moved it from the top level to Plans / Level 1',
  ],
  [{ verb: 'new version' }, 'Dana Ek checked in a new version of “Level 1.pdf” in Plans / Level 1'],
  [{ verb: 'updated' }, 'Dana Ek updated “Level 1.pdf” in Plans / Level 1'],
  [{ verb: 'deleted' }, 'Dana Ek deleted “Level 1.pdf” from Plans / Level 1'],
  [
    { verb: 'session changed', kind: 'session', name: 'Weekly review', folder: null },
    'Dana Ek changed the session “Weekly review” (its expiry date or its status)',
  ],
  [{ verb: 'deleted', kind: 'project', name: null, folder: null }, 'Dana Ek deleted the project'],
  [
    { verb: 'other', eventType: 'Share' },
    'The service reports “Share” for “Level 1.pdf” in Plans / Level 1, by Dana Ek',
  ],
  [{ kind: 'other', resourceType: 'Markups', folder: null }, 'Dana Ek added the “Markups” “Level 1.pdf”'],
  [{ kind: 'other', resourceType: '', name: null, folder: null }, 'Dana Ek added a thing of an unknown kind'],
  [{ actorName: null }, 'dana.ek@example.com added “Level 1.pdf” to Plans / Level 1'],
  [{ actorName: null, actorEmail: null }, 'Someone added “Level 1.pdf” to Plans / Level 1'],
  [{ actorName: ' ', actorEmail: '' }, 'Someone added “Level 1.pdf” to Plans / Level 1'],
])('%o is told as "%s"', ([change, sentence]) => {
  expect(sentenceOf(change)).toBe(sentence);
});

test('an update of a folder never claims a new version', () => {
  expect(sentenceOf({ verb: 'new version', kind: 'folder', name: 'Level 2' })).toBe(
    'Dana Ek updated the folder “Level 2” in Plans / Level 1',
  );
});

test('what only says "updated" claims neither a rename nor a new version', () => {
  expect(sentenceOf({ verb: 'updated', previousName: 'Old.pdf', previousFolder: ['Inbox'] })).not.toMatch(
    /renamed|moved|version/,
  );
});

test('24 files of one person in one folder are one sentence with the first names', () => {
  const message = seen(files(24));
  expect(message).toContain('Dana Ek* added 24 files to Plans / Level 1');
  expect(message).toContain('`1.pdf`, `2.pdf`, `3.pdf` and 21 more');
  expect(message).toContain('[Show all 24]');
});

test('four files are all named, so there is nothing to show besides', () => {
  const message = seen(files(4));
  expect(message).toContain('`1.pdf`, `2.pdf`, `3.pdf` and `4.pdf`');
  expect(message).not.toContain('Show all');
});

test('without a value for it there is no button', () => {
  expect(seen(files(24), { showAllValue: undefined })).not.toContain('Show all');
});

test('other people, deeds, kinds and folders are sentences of their own, in the order of first happening', () => {
  const changes = [
    makeChange({ name: '1.pdf' }),
    makeChange({ name: '2.pdf', actorEmail: 'max@example.com', actorName: 'Max Roth' }),
    makeChange({ name: '3.pdf' }),
    makeChange({ name: '4.pdf', verb: 'deleted' }),
    makeChange({ name: '5', kind: 'folder' }),
    makeChange({ name: '6.pdf', folder: ['Admin'] }),
  ];
  expect(groupChanges(changes).map(({ changes: group }) => group.map(({ name }) => name))).toEqual([
    ['1.pdf', '3.pdf'],
    ['2.pdf'],
    ['4.pdf'],
    ['5'],
    ['6.pdf'],
  ]);
});

test('files moved from different folders are told apart', () => {
  const move = { verb: 'moved', folder: ['Archive'] } as const;
  const message = seen([
    makeChange({ ...move, name: '1.pdf', previousFolder: ['Plans'] }),
    makeChange({ ...move, name: '2.pdf', previousFolder: ['Admin'] }),
  ]);
  expect(message).toContain('moved `1.pdf` from Plans to Archive');
  expect(message).toContain('moved `2.pdf` from Admin to Archive');
});

test('the same person is the same person in whatever letter case the address comes', () => {
  const changes = [
    makeChange({ name: '1.pdf' }),
    makeChange({ name: '2.pdf', actorEmail: 'DANA.EK@example.com' }),
  ];
  expect(groupChanges(changes)).toHaveLength(1);
});

test('a file that was added, deleted and added again is told in that order', () => {
  const message = seen([makeChange(), makeChange({ verb: 'deleted' }), makeChange()]);
  expect(message.match(/added|deleted/g)?.slice(0, 3)).toEqual(['added', 'deleted', 'added']);
});

test('a renamed file keeps its order with what happens to it under its new name', () => {
  const changes = [
    makeChange({ verb: 'deleted', name: 'b.pdf' }),
    makeChange({ verb: 'renamed', previousName: 'a.pdf', name: 'b.pdf' }),
    makeChange({ verb: 'deleted', name: 'b.pdf' }),
  ];
  expect(groupChanges(changes).map(({ first }) => first.verb)).toEqual(['deleted', 'renamed', 'deleted']);
});

test('one file checked in three times is one file', () => {
  const message = seen(Array.from({ length: 3 }, () => makeChange({ verb: 'new version' })));
  expect(message).toContain('checked in a new version of `Level 1.pdf` in Plans / Level 1, 3 times');
});

test('two files changed five times are two files', () => {
  const changes = ['a', 'b', 'a', 'b', 'a'].map((name) => makeChange({ verb: 'updated', name }));
  expect(seen(changes)).toContain('updated 2 files in Plans / Level 1, 5 times in all');
});

test('files without names are counted', () => {
  expect(seen(files(3, { name: null }))).toContain('Dana Ek* added 3 files to Plans / Level 1');
});

test('several renames are told with old and new name', () => {
  const message = seen([
    makeChange({ verb: 'renamed', previousName: 'a.pdf', name: 'b.pdf' }),
    makeChange({ verb: 'renamed', previousName: 'c.pdf', name: 'd.pdf' }),
  ]);
  expect(message).toContain('renamed 2 files in Plans / Level 1');
  expect(message).toContain('`a.pdf` to `b.pdf` and `c.pdf` to `d.pdf`');
});

test('when all is in one project, the project is said once', () => {
  const message = seen([makeChange(), makeChange({ verb: 'deleted', name: 'x' })]);
  expect(message.match(/ {2}[.|] .*Harbour Tower/g)).toHaveLength(1);
});

test('a project and a session in one message are both named', () => {
  const message = seen([makeChange(), makeChange({ within: weeklyReview, kind: 'document', folder: null })]);
  expect(message).toContain('Harbour Tower (project 123-456-789)');
  expect(message).toContain('Weekly review (session 987-654-321)');
});

test.for<[number, boolean]>([
  [14, false],
  [16, true],
  [2_000, true],
])('%i minutes late: says when it happened: %o', ([minutes, says]) => {
  const message = seen([makeChange({ happenedAt: minutesAgo(minutes) })]);
  expect(message.includes('happened ⟨')).toBe(says);
});

test('a time is told in the reader’s zone, and in UTC where Slack cannot', () => {
  const { text } = renderActivity({ changes: [makeChange()], now, mode: 'live' });
  expect(text).toContain('<!date^1795183400^{date_short_pretty} at {time}|20 Nov 2026, 14:03 UTC>');
});

test.for([new Date(Number.NaN), new Date(0), new Date(8.64e15)])(
  'the time %o breaks nothing',
  (happenedAt) => {
    const { text } = renderActivity({ changes: [makeChange({ happenedAt })], now, mode: 'live' });
    expect(text).toMatch(/^Dana Ek added/);
    expect(text).not.toContain('<!date');
  },
);

test('a summary begins with how many, since when, why, and what was left out', () => {
  const { text } = renderActivity({
    changes: files(2),
    now,
    mode: 'summary',
    because: 'muted',
    since: minutesAgo(60),
    leftOut: 3,
  });
  expect(text).toMatch(
    /^2 changes since <!date[^>]*>, while I was muted here\. 3 more had waited for over a week and are left out\. Dana Ek/,
  );
});

test('a summary with nothing left to tell says what was left out', () => {
  const { text } = renderActivity({ changes: [], now, mode: 'summary', leftOut: 1 });
  expect(text).toBe('1 change had waited for over a week and is left out.');
});

test('the last message about a deleted thing says that its subscription has ended', () => {
  const change = makeChange({ verb: 'deleted', kind: 'project', name: 'Harbour Tower', folder: null });
  const message = seen([change], { endedSubscription: true });
  expect(message.match(/that subscription has ended/g)).toHaveLength(2);
});

test('a live message about nothing is a mistake of the caller', () => {
  expect(() => renderActivity({ changes: [], now, mode: 'live' })).toThrow(RangeError);
});

test('more groups than a message tells are counted, and the button has them all', () => {
  const changes = Array.from({ length: 30 }, (_, index) => makeChange({ folder: [`Folder ${index}`] }));
  const message = seen(changes);
  expect(message).toContain('… and 22 more changes');
  expect(message).toContain('[Show all 30]');
});
