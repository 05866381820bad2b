import { expect, test } from 'vitest';
import {
  describeExcluded,
  type ExcludedThing,
  excludedRow,
} from '../../src/messages/subscribing/exclusions.ts';
import { inPlain } from '../../src/messages/text/phrase.ts';

const item = { kind: 'item', itemKind: 'file', name: null, folder: null } as const;

test.for<[string, ExcludedThing, string]>([
  ['a file', { ...item, name: 'A-103.pdf', folder: ['Plans', 'Level 1'] }, 'A-103.pdf in Plans › Level 1'],
  ['a file whose name is unknown', item, 'Unnamed file'],
  [
    'an item whose kind is unknown too',
    { ...item, itemKind: 'item', folder: ['Plans'] },
    'Unnamed item in Plans',
  ],
  ['a resource of an unknown type', { ...item, itemKind: 'other' }, 'Unnamed item'],
  ['a person', { kind: 'person', name: 'Sam Okafor' }, 'Changes by Sam Okafor'],
])('the list of what is muted shows %s', ([, thing, words]) => {
  expect(inPlain(excludedRow(thing))).toBe(words);
});

test.for([
  ['folder', 'folder “Level 1”'],
  ['file', '“Level 1”'],
  ['session', 'session “Level 1”'],
] as const)('a muted %s is called %s', ([itemKind, words]) => {
  expect(inPlain(describeExcluded({ ...item, itemKind, name: 'Level 1' }))).toBe(words);
});
