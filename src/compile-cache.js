import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import './incomplete.js';

// Named imports would not load with an older Node, for which `incomplete.js` has an answer.
const { enableCompileCache, registerHooks = () => {} } = module;

/**
 * Preloaded (`--import`) by `npm start` and the platform files, and loaded by `main.ts` in any case. This is plain JavaScript: for a TypeScript
 * file loaded before the cache is in use, Node loads the compiler that strips types, which takes 18 MB of memory and a tenth of a second.
 */

keepCompiled();
resolveDirectly();
leaveOutSocketMode();

/**
 * Caches compiled code between starts: reading, stripping and compiling more than 1,000 files takes most of the startup time. The cache is
 * in the home folder, since files in a shared temporary folder could belong to another user and would run unchecked. It does not grow: what was
 * compiled of a file is replaced once the file has changed.
 */
function keepCompiled() {
  try {
    enableCompileCache(join(homedir(), '.cache', 'plancast'));
  } catch {
    // Without a home folder the start is only slower.
  }
}

/**
 * Resolves a relative import with an extension to exactly that file. Node would check the disk and the surrounding packages for each of
 * 3,000 such imports, which takes a sixth of the startup time.
 */
function resolveDirectly() {
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

/** Resolves Bolt's client for Socket Mode, which is not used and takes 7 MB of memory, to a file that says so. */
function leaveOutSocketMode() {
  const { href } = new URL('./no-socket-mode.js', import.meta.url);
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === '@slack/socket-mode' ? { url: href, shortCircuit: true } : next(specifier, context),
  });
}
