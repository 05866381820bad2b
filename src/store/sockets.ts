import { Socket } from 'node:net';

/** Asks the server on idle connections that were opened before `time`; resolves to whether any of them was answered. */
type Probe = (time: number) => Promise<boolean>;

/** The sockets of all database connections of a process. */
export type Sockets = {
  /** Creates a socket, as the option `stream` of `pg` expects. */
  readonly open: () => Socket;
  readonly addProbe: (probe: Probe) => void;
  /**
   * Destroys the sockets that were opened before `time`, in milliseconds of the given clock, unless the server answers on any of them.
   * @returns how many
   */
  readonly giveUp: (time: number) => Promise<number>;
};

/**
 * Tracks the sockets of a process. A server that falls silent, because its machine died or was cut off, leaves all of its connections
 * half-open, and each would be discovered only by a statement that times out. So once one is discovered, all are closed. The probe comes
 * first because a single statement may wait for its commit, as for a standby that is gone, while all others are answered.
 * @param now monotonic time in milliseconds
 */
export function makeSockets(now: () => number): Sockets {
  const opened = new Map<Socket, number>();
  const probes: Probe[] = [];
  /** Shared, since many statements can time out at once. */
  let givingUp: Promise<number> | null = null;
  return {
    open() {
      const socket = new Socket();
      opened.set(socket, now());
      socket.once('close', () => opened.delete(socket));
      return socket;
    },
    addProbe: (probe) => void probes.push(probe),
    giveUp(time) {
      givingUp ??= destroySilent(time).finally(() => {
        givingUp = null;
      });
      return givingUp;
    },
  };

  async function destroySilent(time: number): Promise<number> {
    const answers = await Promise.all(probes.map((probe) => probe(time)));
    if (answers.includes(true)) return 0;
    const old = [...opened].filter(([, at]) => at < time);
    for (const [socket] of old) socket.destroy(new SilentServerError());
    return old.length;
  }
}

/** Another connection to the same server got no answer. */
class SilentServerError extends Error {
  override readonly name = 'SilentServerError';
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('The server has stopped answering.');
  }
}
