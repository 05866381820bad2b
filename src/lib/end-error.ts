/** Exit codes; the last three come from BSD's sysexits.h. */
export const exitCodes = { failed: 1, usage: 2, unavailable: 69, tryAgain: 75, config: 78 } as const;

/** What an admin can fix. It ends the process with its message, which says how, and without a stack trace. */
export class EndError extends Error {
  override readonly name: string = 'EndError';
  readonly exitCode: number;
  constructor(message: string, exitCode: number = exitCodes.failed, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
