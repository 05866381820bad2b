import { enableCompileCache, flushCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Reading, stripping and compiling some 900 files is most of a start, and is kept from one start to the next. In the home folder, since
 * what is in a shared one for temporary files may be another user's, and is run as it is found.
 */
function keepCompiled(): void {
  try {
    enableCompileCache(join(homedir(), '.cache', 'plancast'));
  } catch {
    // A user without a home starts more slowly.
  }
}

keepCompiled();
// Imported only now: what is imported above is compiled before a line of this file runs.
const [{ runEntry }, { serve }] = await Promise.all([
  import('./commands/lib/run-command.ts'),
  import('./serve.ts'),
]);
runEntry(async () => {
  await serve(process.env);
  // A process that is killed would not write it when it ends.
  flushCompileCache();
});
