import type { DebugLog, Log } from '../../src/lib/log.ts';

const nothing = (): void => undefined;

/** For tests that do not check the log. */
export const silentLog: Log = { info: nothing, warn: nothing, error: nothing };

/** The same for what also writes lines for debugging. */
export const silentDebugLog: DebugLog = { ...silentLog, debug: nothing, isLevelEnabled: () => false };

/** Returns a log that records its lines as `[message, fields]`. */
export function recordingLog(): DebugLog & { readonly lines: [string, Readonly<Record<string, unknown>>][] } {
  const lines: [string, Readonly<Record<string, unknown>>][] = [];
  const write = (fields: Readonly<Record<string, unknown>>, message: string): void => {
    lines.push([message, fields]);
  };
  return { ...silentDebugLog, lines, info: write, warn: write, error: write };
}
