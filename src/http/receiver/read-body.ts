import type { IncomingMessage } from 'node:http';

/** A body was refused; `status` says why. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
  readonly status: 400 | 413 | 415;
  constructor(status: 400 | 413 | 415) {
    super(`A body was refused (${status}).`);
    this.status = status;
  }
}

/**
 * Reads a request's raw body. Compressed bodies are refused, so that none can expand in memory.
 * @throws BodyError if the body is compressed, longer than `most` bytes, or ends too early
 */
export function readBody(request: IncomingMessage, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding.toLowerCase() !== 'identity') return reject(new BodyError(415));
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > most) {
        request.pause();
        reject(new BodyError(413));
      } else {
        chunks.push(chunk);
      }
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', () => reject(new BodyError(400)));
    request.on('close', () => {
      if (!request.complete) reject(new BodyError(400));
    });
  });
}
