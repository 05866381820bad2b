import { enableCompileCache, flushCompileCache, registerHooks } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Reading, stripping and compiling more than 1,000 files is most of a start, and is kept from one start to the next. In the home folder, since
 * what is in a shared one for temporary files may be another user's, and is run as it is found.
 */
function keepCompiled(): void {
  try {
    enableCompileCache(join(homedir(), '.cache', 'plancast'));
  } catch {
    // A user without a home starts more slowly.
  }
}

/**
 * A file named by its relative path and its extension is where that says. Node would ask the disk and the packages around it for each of
 * 3,000 such imports, which is a sixth of a start.
 */
function resolveAtOnce(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL, conditions } = context;
      const isPlain =
        parentURL !== undefined && conditions.includes('import') && /^\.{1,2}\/.*\.[jt]s$/.test(specifier);
      return isPlain
        ? { url: new URL(specifier, parentURL).href, shortCircuit: true }
        : next(specifier, context);
    },
  });
}

keepCompiled();
resolveAtOnce();
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
