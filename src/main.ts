import { flushCompileCache } from 'node:module';
import './compile-cache.js';

// Imported dynamically: static imports are compiled before any line of `compile-cache.js` runs.
const [{ runCommand }, { serve }] = await Promise.all([
  import('./commands/lib/run-command.ts'),
  import('./serve.ts'),
]);
const usage = 'Usage: npm start    runs the bot';

runCommand(usage, async (environment) => {
  await serve(environment);
  // Node writes the cache at exit, which a killed process never reaches. What is loaded after this would be compiled anew by each start.
  flushCompileCache();
});
