import { type Logger, LogLevel } from '@slack/web-api';
import type { Log } from '../lib/log.ts';

/**
 * Writes Bolt's log messages to our log. Debug lines are dropped: they contain whole message texts and, from the installer, OAuth codes
 * and the client secret.
 */
export function makeBoltLogger(log: Log): Logger {
  const line = (args: unknown[]) => ({ slack: args.map(brief).join(' ') });
  return {
    debug() {},
    info: (...args) => log.info(line(args), 'slack'),
    warn: (...args) => log.warn(line(args), 'slack'),
    error: (...args) => log.error(line(args), 'slack'),
    setLevel() {},
    getLevel: () => LogLevel.INFO,
    setName() {},
  };
}

function brief(argument: unknown): string {
  if (argument instanceof Error) return `${argument.name}: ${argument.message}`.slice(0, 500);
  return typeof argument === 'string' ? withoutInput(argument).slice(0, 500) : typeof argument;
}

/** Removes what V8 quotes of a body that is not valid JSON; Bolt logs V8's message. */
function withoutInput(line: string): string {
  return line.includes('SyntaxError') ? line.replace(/["'].*["']/s, '…') : line;
}
