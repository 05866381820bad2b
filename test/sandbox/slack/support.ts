import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as read } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { type PracticeSlackOptions, startPracticeSlack } from '../../../sandbox/slack/practice-slack.ts';
import { seedNorthwind } from '../../../sandbox/slack/seed.ts';

/** Starts a bot that records the bodies it receives, and answers with an empty 200. */
export async function startStubBot() {
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    received.push(await read(request));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/slack/events`, received };
}

/** Returns a clock that stands still until it is moved. */
export function makeClock(start = Date.UTC(2026, 10, 20, 9)) {
  let now = start;
  return {
    now: () => now,
    pass(ms: number): void {
      now += ms;
    },
  };
}

type ApiAnswer = Record<string, unknown> & { ok?: boolean; error?: string };

/** Starts a seeded practice Slack, closed with the test, and a way to call its Web API as a Slack client does. */
export async function startSlack(options: Partial<PracticeSlackOptions> = {}) {
  const slack = await startPracticeSlack({ signingSecret: 'practice-signing-secret', ...options });
  onTestFinished(() => slack.close());
  const seed = seedNorthwind(slack);

  async function send(method: string, args: Record<string, unknown> = {}, token = seed.workspace.botToken) {
    const form = new URLSearchParams();
    for (const [key, value] of Object.entries(args)) {
      form.set(key, typeof value === 'object' ? JSON.stringify(value) : String(value));
    }
    return await fetch(`${slack.apiUrl}${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
  }

  async function call(
    method: string,
    args: Record<string, unknown> = {},
    token?: string,
  ): Promise<ApiAnswer> {
    const response = await send(method, args, token);
    return (await response.json()) as ApiAnswer;
  }

  return { slack, seed, send, call };
}

export function text(words: string): Record<string, unknown> {
  return { type: 'plain_text', text: words };
}

export function markup(words: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { type: 'mrkdwn', text: words, ...more };
}

export function sectionOf(words: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { type: 'section', text: markup(words), ...more };
}

export function buttonOf(words: string, actionId: string, more: Record<string, unknown> = {}) {
  return { type: 'button', text: text(words), action_id: actionId, ...more };
}

export function modalOf(title: string, blocks: unknown[], more: Record<string, unknown> = {}) {
  return { type: 'modal', title: text(title), submit: text('Save'), callback_id: 'form', blocks, ...more };
}

export function inputOf(
  blockId: string,
  element: Record<string, unknown>,
  more: Record<string, unknown> = {},
) {
  return { type: 'input', block_id: blockId, label: text('Label'), element, ...more };
}
