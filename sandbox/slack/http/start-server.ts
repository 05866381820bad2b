import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RunningServer {
  port: number;
  /** Ends connections at once: streams and calls that hang would hold it forever. */
  close(): Promise<void>;
}

async function listening(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

/**
 * Serves on loopback.
 * @param port 0 for any free one
 * @throws the system's error where the port is taken
 */
export async function startServer(listener: RequestListener, port: number): Promise<RunningServer> {
  const server = createServer(listener);
  // Longer than any client keeps a connection: else one ends just as a call goes out on it, a fault nobody set.
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
