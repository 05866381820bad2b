import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { closeServer, listen } from '../../../src/http/front.ts';
import { makeMetricsServer } from '../../../src/http/metrics/metrics-server.ts';
import { noMetrics } from '../../../src/http/metrics/no-metrics.ts';

/** The most connections that the server takes. */
const everyConnection = 50;
const request = 'GET /metrics HTTP/1.1\r\nHost: bot\r\n\r\n';

test.each([
  ['send nothing', ''],
  ['never finish their headers', 'GET /metrics HTTP/1.1\r\nHost: bot\r\nX-Slow: '],
  ['never finish their body', 'POST /metrics HTTP/1.1\r\nHost: bot\r\nContent-Length: 100\r\n\r\n'],
  ['ask without end and read nothing', request.repeat(1_000)],
])(
  'clients that take every connection and %s lose them within seconds',
  async (_, sent) => {
    const metrics = { ...noMetrics, text: async () => 'plancast_waiting_events 0\n'.repeat(500) };
    const server = makeMetricsServer(() => metrics);
    const port = await listen(server, { port: 0, host: '127.0.0.1' });
    const clients = Array.from({ length: everyConnection }, () => connect({ port, host: '127.0.0.1' }));
    try {
      for (const client of clients) client.on('error', () => undefined).write(sent);
      await Promise.all(clients.map((client) => once(client, 'connect')));

      const scrape = () =>
        fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(1_000) }).then(
          async (answer) => [answer.status, (await answer.text()).length > 0],
          () => 'refused',
        );
      expect(await scrape()).toBe('refused');
      await expect.poll(scrape, { timeout: 15_000, interval: 500 }).toEqual([200, true]);
    } finally {
      for (const client of clients) client.destroy();
      await closeServer(server, 0);
    }
  },
  30_000,
);
