/**
 * Every npm script of the bot loads this before its program, by `--import` or through another such file: with an older Node, or after a
 * forgotten or interrupted `npm ci`, it prints one line instead of a stack. Plain JavaScript without named imports, which every Node loads.
 */
if (!process.features.typescript) {
  process.stderr.write(
    `This Node (${process.versions.node}) does not run TypeScript: use Node 22.18 or later.\n`,
  );
  process.exit(78);
}

const codes = /^(ERR_)?MODULE_NOT_FOUND$|^ERR_INVALID_PACKAGE_CONFIG$/;

/**
 * Returns what to do about an error that a forgotten or interrupted `npm ci` causes; null for any other.
 * @param {unknown} error
 */
export function whatIsIncomplete(error) {
  if (!(error instanceof Error && 'code' in error && codes.test(String(error.code)))) return null;
  const [found] = error.message.split('\n');
  return `This installation is incomplete (${found}): run \`npm ci\`, with Node 22.18 or later.`;
}

process.on('uncaughtExceptionMonitor', (error) => {
  const line = whatIsIncomplete(error);
  if (line === null) return;
  process.stderr.write(`${line}\n`);
  process.exit(78);
});
