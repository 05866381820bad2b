import { enableCompileCache, flushCompileCache, registerHooks } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** How long compiled code is kept: that of releases before is never asked for again, and nobody says which it is. */
const compiledForDays = 30;

/**
 * Reading, stripping and compiling more than 1,000 files is most of a start, and is kept from one start to the next. In the home folder, since
 * what is in a shared one for temporary files may be another user's, and is run as it is found. Returns the folder; null where there is none.
 */
function keepCompiled(): string | null {
  try {
    const folder = join(homedir(), '.cache', 'plancast');
    enableCompileCache(folder);
    return folder;
  } catch {
    // A user without a home starts more slowly.
    return null;
  }
}

async function removeOldCompiled(folder: string): Promise<void> {
  const [{ removeOldFiles }, { dayMs, earlier }] = await Promise.all([
    import('./lib/remove-old-files.ts'),
    import('./lib/durations.ts'),
  ]);
  await removeOldFiles(folder, earlier(new Date(), compiledForDays * dayMs));
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

const compiled = keepCompiled();
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
  if (compiled !== null) await removeOldCompiled(compiled);
});
