export type Outgoing = { uri: string; method: string; headers: Record<string, string>; body: string };

/** Sends one request and returns the response; throws if there is none. */
export type Send = (outgoing: Outgoing) => Promise<{ status: number; body: string }>;

/**
 * Creates the real sender: keeps connections alive, follows no redirects.
 * @param timeoutMs how long a response can take
 */
export function makeSender(timeoutMs: number): { send: Send; close: () => Promise<void> } {
  let client: ReturnType<typeof openClient> | undefined;
  return {
    async send({ uri, method, headers, body }) {
      client ??= openClient(timeoutMs);
      const { request, dispatcher } = await client;
      const bare = method === 'GET' || method === 'HEAD';
      const answer = await request(uri, { method, headers, body: bare ? null : body, dispatcher });
      return { status: answer.statusCode, body: await answer.body.text() };
    },
    close: async () => (await client)?.dispatcher.destroy(),
  };
}

/** Loaded with the first request: its more than 100 files would make the service start later. */
async function openClient(timeoutMs: number) {
  const { Agent, request } = await import('undici');
  const dispatcher = new Agent({
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: timeoutMs },
  });
  return { request, dispatcher };
}
