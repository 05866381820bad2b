import { type Logger, LogLevel } from '@slack/web-api';
import { codeOf } from '../lib/error-code.ts';
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

/** Returns a text up to what it quotes, which may come from outside: V8 quotes a body that is no JSON, and Bolt logs V8's message. */
function brief(argument: unknown): string {
  if (argument instanceof Error) return `${argument.name} ${codeOf(argument)}`;
  return typeof argument === 'string' ? (argument.split(/["'`{<]/, 1)[0] ?? '') : typeof argument;
}
