/**
 * Loaded into the bot before its own program: when the demo is gone without having ended the bot (it was killed), the pipe
 * between them closes, and the bot ends as on Ctrl-C, its database with it.
 */
process.stdin.on('end', () => {
  process.kill(process.pid, 'SIGINT');
});
process.stdin.on('error', () => undefined);
process.stdin.resume();
process.stdin.unref();
