/** Exit codes; the last two come from BSD's sysexits.h. */
export const exitCodes = { failed: 1, usage: 2, unavailable: 69, tryAgain: 75, config: 78 } as const;

/** Ends the process with a message for the admin and no stack trace. The exit code is `failed` unless another one is given. */
export class EndError extends Error {
  override readonly name = 'EndError';
  readonly exitCode: number;
  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}
