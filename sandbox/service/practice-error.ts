export type PracticeErrorCode = 'unknown' | 'denied' | 'invalid';

/** A request by a person or a test that the practice service cannot carry out; the message explains why. */
export class PracticeError extends Error {
  readonly code: PracticeErrorCode;

  constructor(code: PracticeErrorCode, message: string) {
    super(message);
    this.name = 'PracticeError';
    this.code = code;
  }
}
