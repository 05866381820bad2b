import type { Response } from 'express';
import type { Answer } from '../faults.ts';

/** Sends a response: unchanged, as a reset connection, or never. */
export function sendAnswer(response: Response, { status, headers, body, instead }: Answer): void {
  if (instead === 'hang') return;
  if (instead === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  // Not `send`: it would change content types and add ETags, which Slack does not have.
  response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
  response.end(body);
}
