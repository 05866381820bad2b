import { expect, test } from 'vitest';
import { someone } from '../../src/core/model/change.ts';
import { describeExcluded, type ExcludedThing } from '../../src/messages/subscribing/exclusions.ts';
import { inPlain } from '../../src/messages/text/phrase.ts';

const item = { kind: 'item', itemKind: 'file', name: null, folder: null } as const;

test.for<[string, ExcludedThing, string]>([
  ['a file', { ...item, name: 'A-103.pdf', folder: ['Plans', 'Level 1'] }, '“A-103.pdf” in Plans › Level 1'],
  ['a file whose name is unknown', item, 'an unnamed file'],
  [
    'an item whose kind is unknown too',
    { ...item, itemKind: 'item', folder: ['Plans'] },
    'an unnamed item in Plans',
  ],
  ['a resource of an unknown type', { ...item, itemKind: 'other' }, 'an unnamed item'],
  ['a person', { kind: 'person', name: 'Sam Okafor' }, 'Sam Okafor’s changes'],
  ['a person who has no name in a shared channel', { kind: 'person', name: someone }, 'someone’s changes'],
])('the list of what is muted shows %s', ([, thing, words]) => {
  expect(inPlain(describeExcluded(thing, { inFolder: true }))).toBe(words);
});

test.for([
  ['folder', 'folder “Level 1”'],
  ['file', '“Level 1”'],
  ['session', 'session “Level 1”'],
] as const)('a muted %s is called %s', ([itemKind, words]) => {
  expect(inPlain(describeExcluded({ ...item, itemKind, name: 'Level 1' }))).toBe(words);
});
