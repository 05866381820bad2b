import { enableCompileCache, flushCompileCache, registerHooks } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Days to keep compiled code. Code of earlier releases is never loaded again, but nothing marks those files as unused. */
const compiledForDays = 30;

/**
 * Caches compiled code between starts: reading, stripping and compiling more than 1,000 files takes most of the startup time. The cache is
 * in the home folder, since files in a shared temporary folder could belong to another user and would run unchecked. Returns the folder;
 * null if there is none.
 */
function keepCompiled(): string | null {
  try {
    const folder = join(homedir(), '.cache', 'plancast');
    enableCompileCache(folder);
    return folder;
  } catch {
    // Without a home folder the start is only slower.
    return null;
  }
}

async function removeOldCompiled(folder: string): Promise<void> {
  const [{ removeOldFiles }, { dayMs }] = await Promise.all([
    import('./lib/remove-old-files.ts'),
    import('./lib/durations.ts'),
  ]);
  await removeOldFiles(folder, { now: new Date(), keptMs: compiledForDays * dayMs, everyMs: dayMs });
}

/**
 * Resolves a relative import with an extension to exactly that file. Node would check the disk and the surrounding packages for each of
 * 3,000 such imports, which takes a sixth of the startup time.
 */
function resolveDirectly(): void {
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
resolveDirectly();
// Imported dynamically: static imports are compiled before any line of this file runs.
const [{ runEntry }, { serve }] = await Promise.all([
  import('./commands/lib/run-command.ts'),
  import('./serve.ts'),
]);
runEntry(async () => {
  await serve(process.env);
  // Node writes the cache at exit, which a killed process never reaches.
  flushCompileCache();
  if (compiled !== null) await removeOldCompiled(compiled);
});
