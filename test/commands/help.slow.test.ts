import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../guards/source-files.ts';
import { runCommand } from './run-command.ts';

const commands = readdirSync(join(root, 'src/commands'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replace('.ts', ''));

test.for(commands)(
  'an operator who adds --help to npm run %s reads how to use it, and nothing is done',
  async (command) => {
    for (const flag of ['--help', '-h']) {
      const { code, stdout, stderr } = await runCommand(`src/commands/${command}.ts`, [flag], {});

      expect(stdout).toMatch(new RegExp(`^Usage: npm run ${command} `));
      expect([stderr, code]).toEqual(['', 0]);
      expect(existsSync(join(root, flag))).toBe(false);
    }
  },
);

test.for([
  ['src/main.ts', 'npm start'],
  ['sandbox/demo.ts', 'npm run demo'],
] as const)(
  'an operator who adds an argument to %s reads how to use it, and nothing starts',
  async ([file, line]) => {
    const { code, stdout, stderr } = await runCommand(file, ['--port=80'], {});

    expect(stderr).toMatch(new RegExp(`^Usage: ${line} `));
    expect([stdout, code]).toEqual(['', 2]);
  },
);
