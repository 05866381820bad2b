import { connect, type Socket } from 'node:net';

/** One keep-alive connection with at most one request in flight. */
export type Connection = {
  /** Sends a whole request. `answered` is called once: with the status, or with 0 if the connection closed without an answer. */
  readonly send: (request: string | Buffer, answered: (status: number) => void) => void;
  readonly close: () => void;
  /** Returns whether another request can be sent. */
  readonly usable: () => boolean;
};

const headEnd = '\r\n\r\n';

/**
 * A bare socket that reads only the status and the end of an answer. The generator shares the machine with Postgres and the bot, so every
 * microsecond here distorts the measurement: undici's client costs several times as much per request, and autocannon, which costs less,
 * neither sends at a fixed rate independent of the answers nor gives each body its own Id without a callback per request.
 */
export function openConnection(port: number): Connection {
  let socket: Socket | null = null;
  let open = true;
  let waiting: ((status: number) => void) | null = null;
  let read = '';

  function dial(): Socket {
    const dialled = connect({ port, host: '127.0.0.1', noDelay: true });
    dialled.setEncoding('latin1');
    dialled.on('data', (chunk: string) => take(dialled, chunk));
    dialled.on('error', () => undefined);
    dialled.on('close', () => {
      if (socket !== dialled) return;
      socket = null;
      settle(0);
    });
    return dialled;
  }

  function take(from: Socket, chunk: string): void {
    read = read === '' ? chunk : read + chunk;
    const answer = answerIn(read);
    if (answer === null) return;
    read = '';
    if (answer.closes) {
      if (socket === from) socket = null;
      from.destroy();
    }
    settle(answer.status);
  }

  function settle(status: number): void {
    const answered = waiting;
    waiting = null;
    read = '';
    answered?.(status);
  }

  return {
    send(request, answered) {
      waiting = answered;
      socket ??= dial();
      socket.write(request, 'latin1');
    },
    usable: () => open && waiting === null,
    close() {
      open = false;
      const last = socket;
      socket = null;
      last?.destroy();
      settle(0);
    },
  };
}

/** Returns the answer in what was read so far, or null if it is incomplete. Understands only answers with a `Content-Length`. */
export function answerIn(read: string): { status: number; closes: boolean } | null {
  const end = read.indexOf(headEnd);
  if (end === -1) return null;
  const head = read.slice(0, end).toLowerCase();
  const length = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0);
  if (read.length < end + headEnd.length + length) return null;
  return { status: Number(head.slice(9, 12)), closes: head.includes('\r\nconnection: close') };
}
