export type PracticeErrorCode = 'unknown' | 'denied' | 'invalid';

/** What a person or a test asked of the practice service cannot be done; the message says why, in words. */
export class PracticeError extends Error {
  readonly code: PracticeErrorCode;

  constructor(code: PracticeErrorCode, message: string) {
    super(message);
    this.name = 'PracticeError';
    this.code = code;
  }
}
