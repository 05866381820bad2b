import { createHmac } from 'node:crypto';

export interface Signed {
  signingSecret: string;
  /** Seconds since the epoch. */
  timestamp: number | string;
  /** The body, byte for byte. */
  body: string;
}

/** Returns Slack's `x-slack-signature`: `v0=` and the hex HMAC-SHA256 of `v0:timestamp:body`. */
export function sign({ signingSecret, timestamp, body }: Signed): string {
  return `v0=${createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
}
