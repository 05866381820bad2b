import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type StubRequest = {
  readonly method: string;
  /** Path including the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly form: Record<string, string>;
};

/** `never` leaves the request open, `reset` ends the connection without an answer, `stall` ends neither headers nor body. */
export type StubAnswer =
  | { status?: number; headers?: Record<string, string>; body?: string; json?: unknown }
  | 'never'
  | 'reset'
  | 'stall';

/** Starts a server that answers as the test wants, and closes it with the test. */
export async function startStub(answer: (request: StubRequest, nth: number) => StubAnswer) {
  const requests: StubRequest[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const request = await received(incoming);
    requests.push(request);
    give(answer(request, requests.length), outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

async function received(incoming: IncomingMessage): Promise<StubRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    body,
    form: Object.fromEntries(new URLSearchParams(body)),
  };
}

function give(answer: StubAnswer, outgoing: ServerResponse): void {
  if (answer === 'never') return;
  if (answer === 'reset') {
    outgoing.destroy();
    return;
  }
  if (answer === 'stall') {
    outgoing.writeHead(200).write('{"$id":');
    return;
  }
  const { status = 200, headers, body = '', json } = answer;
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  outgoing.writeHead(status, { ...type, ...headers }).end(json === undefined ? body : JSON.stringify(json));
}
