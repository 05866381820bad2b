import { flushCompileCache } from 'node:module';
import { compiledFolder } from './compile-cache.js';

/** Days to keep compiled code. Code of earlier releases is never loaded again, but nothing marks those files as unused. */
const compiledForDays = 30;

// Imported dynamically: static imports are compiled before any line of `compile-cache.js` runs.
const [{ runEntry }, { serve }] = await Promise.all([
  import('./commands/lib/run-command.ts'),
  import('./serve.ts'),
]);
runEntry(async () => {
  await serve(process.env);
  const [{ removeOldFiles }, { dayMs }] = await Promise.all([
    import('./lib/files.ts'),
    import('./lib/durations.ts'),
  ]);
  // Node writes the cache at exit, which a killed process never reaches. What is loaded after this would be compiled anew by each start.
  flushCompileCache();
  if (compiledFolder === null) return;
  await removeOldFiles(compiledFolder, { now: new Date(), keptMs: compiledForDays * dayMs, everyMs: dayMs });
});
