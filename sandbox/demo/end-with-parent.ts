/**
 * Preloaded into the bot: if the demo is gone without having ended the bot (it was killed), the pipe between them closes, and the bot ends
 * as on Ctrl-C, with its database.
 */
process.stdin.on('end', () => {
  process.kill(process.pid, 'SIGINT');
});
process.stdin.on('error', () => undefined);
process.stdin.resume();
process.stdin.unref();
