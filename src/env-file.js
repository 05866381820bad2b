import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import util from 'node:util';
import './incomplete.js';

// The npm scripts load this before the program. Node's own --env-file-if-exists prints a line about a missing file, which is the usual case
// where a platform sets the variables, and takes a byte order mark for a part of the first name. Plain JavaScript, which every Node loads.
const file = resolve('.env');
if (existsSync(file)) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
    // Node reads its own variables before this file.
    const given = Object.entries(util.parseEnv(text)).filter(([name]) => !name.startsWith('NODE_'));
    for (const [name, value] of given) process.env[name] ??= value;
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? error.code : 'unknown';
    process.stderr.write(
      `${file} is not used, since it cannot be read (${why}): it must be a file in UTF-8.\n`,
    );
  }
}
