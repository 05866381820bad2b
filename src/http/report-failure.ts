import type { Log } from '../lib/log.ts';

/** Logs an error and returns its reference, which the page shows and the log contains. */
export type ReportFailure = (error: unknown) => string;

export function makeReportFailure(deps: {
  readonly randomBytes: (size: number) => Buffer;
  readonly log: Pick<Log, 'error'>;
}): ReportFailure {
  return (error) => {
    const reference = deps.randomBytes(4).toString('hex');
    deps.log.error({ err: error, reference }, 'a page failed');
    return reference;
  };
}
