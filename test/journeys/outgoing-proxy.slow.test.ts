import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { setStage } from '../support/stage.ts';
import { walkTheJourney } from '../support/switch-journey.ts';

test('people link and follow as usual where the bot reaches Slack and the service only through a proxy', async () => {
  const reached = new Set<string>();
  // `fetch` opens tunnels through the proxy; `http.request` sends it whole addresses.
  const proxy = http.createServer((asked, answer) => {
    const { host } = new URL(asked.url ?? '');
    reached.add(host);
    const passed = http.request(asked.url ?? '', {
      method: asked.method,
      headers: asked.headers,
      agent: false,
    });
    passed.on('response', (got) => got.pipe(answer.writeHead(got.statusCode ?? 0, got.headers)));
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  proxy.listen(0, '127.0.0.1');
  proxy.on('connect', ({ url = '' }, client, head) => {
    reached.add(url);
    const target = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.write(head);
      target.pipe(client).pipe(target);
    });
    for (const socket of [client, target]) socket.on('error', () => target.destroy());
  });
  await once(proxy, 'listening');
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const stage = await setStage({ name: 'outgoing proxy', bot: false });
  onTestFinished(async () => {
    await stage.close();
    proxy.close();
  });
  // Loopback addresses are http, and those of a real set-up https.
  const env = { HTTP_PROXY: address, HTTPS_PROXY: address, NODE_USE_ENV_PROXY: '1' };
  const bot = await stage.startChild({ env });

  await walkTheJourney(stage, 'through a proxy');

  expect(bot.output()).not.toMatch(/"level":"(?:warn|error)"/);
  const hosts = [stage.slack.apiUrl, stage.service.baseUrl].map((url) => new URL(url).host);
  expect([...reached]).toEqual(expect.arrayContaining(hosts));
});
