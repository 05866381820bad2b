import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RunningServer {
  port: number;
  /** Closes immediately, connections included: streams and hanging calls would keep the server open forever. */
  close(): Promise<void>;
}

async function listening(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

/**
 * Starts a server on loopback.
 * @param port 0 for any free port
 * @throws the system's error if the port is taken
 */
export async function startServer(listener: RequestListener, port: number): Promise<RunningServer> {
  const server = createServer(listener);
  // Longer than any client keeps a connection. Otherwise a connection could close just as a call goes out on it, a fault no test asked for.
  server.keepAliveTimeout = 120_000;
  await listening(server, port);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
