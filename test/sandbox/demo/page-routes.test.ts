import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { html } from '../../../sandbox/demo/page/html.ts';
import { renderBlocks, type Surface } from '../../../sandbox/demo/page/render-blocks.ts';
import { pageRoutes } from '../../../sandbox/demo/page-routes.ts';
import type { Fields } from '../../../sandbox/slack/json.ts';

const regions = {
  status: html``,
  tools: html``,
  tabs: html``,
  guide: html``,
  sidebar: html``,
  head: html``,
  log: html`<p>${'<b>'}</p>`,
  compose: html``,
  dialog: html``,
  service: html``,
};

/** Serves the page on a port, and records the requested actions. */
async function servePage() {
  const done: unknown[] = [];
  const act = async (...what: unknown[]) => {
    done.push(what);
    return { status: 200, body: {} };
  };
  const app = express().use(
    pageRoutes({
      screen: async () => regions,
      onChange: () => () => undefined,
      actInSlack: act,
      actAtService: act,
      actInDemo: act,
      reset: async () => {
        done.push('reset');
      },
    }),
  );
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, done };
}

test('the page loads nothing from elsewhere, and runs only its own scripts', async () => {
  const { url } = await servePage();
  const page = await fetch(url);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
  const text = await page.text();
  expect(text).toContain('<p>&lt;b&gt;</p>');
  const files = [...text.matchAll(/(?:src|href)="(\/[\w-]+\.(?:css|js|svg))"/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(5);
  const answers = await Promise.all([...files, '/slack-blocks-to-jsx.css'].map((file) => fetch(url + file)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});

test('a form of another site can do nothing here', async () => {
  const { url, done } = await servePage();
  const form = new URLSearchParams({ line: '/subscribe' });
  const asForm = await fetch(`${url}/slack/command`, { method: 'POST', body: form });
  const asText = await fetch(`${url}/service`, { method: 'POST', body: '{"as":"dana@example.com"}' });
  const kill = await fetch(`${url}/demo/kill`, { method: 'POST', body: form });
  const reset = await fetch(`${url}/reset`, { method: 'POST' });
  expect([asForm.status, asText.status, kill.status, reset.status]).toEqual([415, 415, 415, 415]);
  expect(done).toEqual([]);
});

test('a site whose name resolves to this machine gets no page', async () => {
  const { port } = await servePage();
  const status = await new Promise((resolve) => {
    request({ port, host: '127.0.0.1', headers: { host: 'evil.example' } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).end();
  });
  expect(status).toBe(421);
});

test('text from elsewhere is never markup, in any field', () => {
  const surface: Surface = {
    id: 's',
    reader: { zone: 'Europe/London', now: new Date('2026-03-04T09:00:00Z'), users: [], channels: [] },
    choices: { users: [], channels: [] },
  };
  const text = (words: string): Fields => ({ type: 'plain_text', text: words });
  const nasty = '"><script>alert(1)</script><img src=x onerror=alert(1)>';
  const blocks: Fields[] = [
    { type: 'header', block_id: 'h', text: text(nasty) },
    { type: 'section', block_id: 's', text: { type: 'mrkdwn', text: nasty.replaceAll('<', '&lt;') } },
    { type: 'section', block_id: 'f', fields: [text(nasty)] },
    { type: 'context', block_id: 'c', elements: [text(nasty)] },
    {
      type: 'actions',
      block_id: nasty,
      elements: [
        { type: 'button', action_id: nasty, value: nasty, text: text(nasty), accessibility_label: nasty },
      ],
    },
    {
      type: 'input',
      block_id: 'i',
      label: text(nasty),
      hint: text(nasty),
      element: { type: 'static_select', action_id: 'x', options: [{ text: text(nasty), value: nasty }] },
    },
  ];
  const html = renderBlocks(blocks, { ...surface, errors: { i: nasty } }).text;
  expect(html).toContain('&lt;script&gt;');
  expect(html).not.toMatch(/<script|<img/);
});
