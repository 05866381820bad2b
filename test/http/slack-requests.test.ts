import { afterAll, beforeAll, expect, test } from 'vitest';
import { FORM, JSON_TYPE } from '../../sandbox/slack/deliver.ts';
import { type Stage, setStage } from '../support/stage.ts';

let stage: Stage;
const written: string[] = [];
beforeAll(async () => {
  stage = await setStage({ name: 'slack requests', onLog: (line) => written.push(line) });
});
afterAll(() => stage.close());

type Line = { readonly level: string; readonly msg: string; readonly err?: unknown };

/** Sends a signed body, and returns the answer with the lines that were logged because of it. */
async function send(contentType: string, body: string) {
  written.length = 0;
  const { status } = await stage.slack.sendRaw({ contentType, body });
  const lines = written.map((line): Line => JSON.parse(line)).filter(({ msg }) => msg !== 'request');
  return { status, lines };
}

test('a signed request from a workspace without the bot does not make the signing secret look wrong', async () => {
  // Each verdict is noted once a minute, so this is the first test.

  const event = { type: 'channel_archive', channel: 'C1' };
  const body = { type: 'event_callback', team_id: 'T1', event_time: 1, event };
  const { status, lines } = await send(JSON_TYPE, JSON.stringify(body));
  expect(status).toBe(401);
  expect(lines.filter(({ msg }) => msg.includes('SLACK_SIGNING_SECRET'))).toEqual([]);
});

test.each([
  ['a body', [JSON_TYPE, '{"user":Plans']],
  ['a payload', [FORM, 'payload=%7B%22user%22%3APlans']],
] as const)(
  'Slack signs %s that is no JSON: 400, and the one line about it quotes nothing',
  async (_what, [type, body]) => {
    const { status, lines } = await send(type, body);
    expect(status).toBe(400);
    expect(lines).toEqual([
      expect.objectContaining({ level: 'warn', slack: expect.stringContaining('SyntaxError') }),
    ]);
    expect(written.join('')).not.toContain('Plans');
  },
);

test.each([
  ['app_rate_limited', JSON_TYPE, JSON.stringify({ type: 'app_rate_limited', team_id: 'T1' })],
  ['view_closed', FORM, `payload=${encodeURIComponent(JSON.stringify({ type: 'view_closed', view: {} }))}`],
])(
  'Slack sends %s, which the bot has no use for: answered at once, so that Slack does not repeat it',
  async (_type, contentType, body) => {
    expect(await send(contentType, body)).toEqual({ status: 200, lines: [] });
  },
);
