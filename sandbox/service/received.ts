import type { IncomingMessage } from 'node:http';

/** A request after parsing. */
export type Received = {
  method: string;
  path: string;
  query: URLSearchParams;
  header(name: string): string | undefined;
  /** The media type only, lower case; empty if none was sent. */
  type: string;
  body: string;
  /** The body's fields if it is form-encoded; otherwise empty. */
  form: URLSearchParams;
};

const FORM = 'application/x-www-form-urlencoded';
const BODY_MOST = 1_000_000;

/** Reads a whole request. Throws RangeError if its body exceeds a million bytes. */
export async function readRequest(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_MOST) throw new RangeError('The body is too large.');
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks).toString('utf8');
  const url = new URL(request.url ?? '/', 'http://service.invalid');
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    header(name) {
      const value = request.headers[name.toLowerCase()];
      return Array.isArray(value) ? value[0] : value;
    },
    type,
    body,
    form: new URLSearchParams(type === FORM ? body : ''),
  };
}

/** Returns whether the body is a form, as the token and create endpoints require. */
export function isForm({ type }: Received): boolean {
  return type === FORM;
}

/** Returns the single value of a field; undefined if it is missing, repeated or empty. */
export function single(fields: URLSearchParams, name: string): string | undefined {
  const values = fields.getAll(name);
  return values.length === 1 && values[0] !== '' ? values[0] : undefined;
}
