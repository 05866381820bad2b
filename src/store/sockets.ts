import { Socket } from 'node:net';

/** The sockets of all connections of a process to its database. */
export type Sockets = {
  /** Makes one, as the option `stream` of `pg` wants it. */
  readonly open: () => Socket;
  /** Destroys those that were made before `time`, in milliseconds of the clock that was given; returns how many. */
  readonly giveUp: (time: number) => number;
};

/**
 * Keeps the sockets of a process together. A server that fell silent, as one whose machine died or was cut off, leaves all of its
 * connections half-open, and each would be found out only by a statement that waits in vain. Where one was found out, the others are given
 * up with it.
 * @param now milliseconds of a clock that never jumps
 */
export function makeSockets(now: () => number): Sockets {
  const opened = new Map<Socket, number>();
  return {
    open() {
      const socket = new Socket();
      opened.set(socket, now());
      socket.once('close', () => opened.delete(socket));
      return socket;
    },
    giveUp(time) {
      const old = [...opened].filter(([, at]) => at < time);
      for (const [socket] of old) socket.destroy(new SilentServerError());
      return old.length;
    },
  };
}

/** Another connection to the same server was not answered. */
class SilentServerError extends Error {
  override readonly name = 'SilentServerError';
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('The server has stopped answering.');
  }
}
