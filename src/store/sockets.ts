import { Socket } from 'node:net';

/** Asks the server on free connections that were made before `time`, by the clock that was given; says whether any of them was answered. */
type Probe = (time: number) => Promise<boolean>;

/** The sockets of all connections of a process to its database. */
export type Sockets = {
  /** Makes one, as the option `stream` of `pg` wants it. */
  readonly open: () => Socket;
  readonly addProbe: (probe: Probe) => void;
  /**
   * Destroys those that were made before `time`, in milliseconds of the clock that was given, unless the server answers on any of them.
   * @returns how many
   */
  readonly giveUp: (time: number) => Promise<number>;
};

/**
 * Keeps the sockets of a process together. A server that fell silent, as one whose machine died or was cut off, leaves all of its
 * connections half-open, and each would be found out only by a statement that waits in vain. Where one was found out, the others are given
 * up with it. One statement alone may also wait for its commit, as for a standby that is gone, while all others are answered.
 * @param now milliseconds of a clock that never jumps
 */
export function makeSockets(now: () => number): Sockets {
  const opened = new Map<Socket, number>();
  const probes: Probe[] = [];
  /** Many statements may be found to wait in vain at once. */
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

/** Another connection to the same server was not answered. */
class SilentServerError extends Error {
  override readonly name = 'SilentServerError';
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('The server has stopped answering.');
  }
}
