import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const host = '127.0.0.1';

/**
 * Listens on loopback, on the first free port from `first` on.
 * @param first 0 for any free port
 * @returns the port
 * @throws the system's error if none of the next hundred ports is free
 */
export async function listenFrom(server: Server, first: number): Promise<number> {
  for (let port = first; ; port += 1) {
    try {
      return await listen(server, port);
    } catch (error) {
      const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!taken || port >= first + 100) throw error;
    }
  }
}

/** Returns a loopback port that is free right now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, 0);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
