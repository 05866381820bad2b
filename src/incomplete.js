const codes = /^(ERR_)?MODULE_NOT_FOUND$|^ERR_(INVALID_PACKAGE_CONFIG|UNKNOWN_FILE_EXTENSION)$/;

/**
 * Returns what to do about an error that a forgotten or interrupted `npm ci`, or an older Node, causes; null for any other. Plain JavaScript,
 * which every Node loads.
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
