import { expect, test } from 'vitest';
import { commands as announced } from '../../../manifest/commands.ts';
import { shortcuts as announcedShortcuts } from '../../../manifest/shortcuts.ts';
import { commands, shortcuts } from '../../../sandbox/demo/commands.ts';

test('the page offers the commands that the manifest declares', () => {
  const offered = commands.map(({ name, description, usageHint }) => [name, description, usageHint]);
  const wanted = Object.entries(announced).map(([name, { description, usageHint }]) => [
    `/${name}`,
    description,
    usageHint ?? '',
  ]);
  expect(new Set(offered)).toEqual(new Set(wanted));
});

test('the page offers the shortcuts that the manifest declares', () => {
  const offered = Object.entries(shortcuts).map(([id, { name, type }]) => [id, name, type]);
  const wanted = Object.entries(announcedShortcuts).map(([id, { name, type }]) => [id, name, type]);
  expect(new Set(offered)).toEqual(new Set(wanted));
});
