import { existsSync } from 'node:fs';

// The npm scripts load this before the program. Node's own --env-file-if-exists prints a line about a missing file, which is the usual case
// where a platform sets the variables.
const file = '.env';
if (existsSync(file)) {
  try {
    process.loadEnvFile(file);
  } catch {
    process.stderr.write(`${file} cannot be read: check its permissions. Its settings are missing.\n`);
  }
}
