import { Agent, request } from 'undici';

export type Outgoing = { uri: string; method: string; headers: Record<string, string>; body: string };

/** Sends one request and gives the answer; throws where none comes. */
export type Send = (outgoing: Outgoing) => Promise<{ status: number; body: string }>;

/**
 * Makes the real sender: keeps connections open, follows no redirects.
 * @param timeoutMs how long an answer may take
 */
export function makeSender(timeoutMs: number): { send: Send; close: () => Promise<void> } {
  const dispatcher = new Agent({
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: timeoutMs },
  });
  return {
    async send({ uri, method, headers, body }) {
      const bare = method === 'GET' || method === 'HEAD';
      const answer = await request(uri, { method, headers, body: bare ? null : body, dispatcher });
      return { status: answer.statusCode, body: await answer.body.text() };
    },
    close: () => dispatcher.destroy(),
  };
}
