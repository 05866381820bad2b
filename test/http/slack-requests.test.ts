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
  const { status, headers } = await stage.slack.sendRaw({ contentType, body });
  const lines = written.map((line): Line => JSON.parse(line)).filter(({ msg }) => msg !== 'request');
  return { status, headers, lines };
}

const payload = (value: unknown) => [FORM, `payload=${encodeURIComponent(JSON.stringify(value))}`] as const;
const json = (value: unknown) => [JSON_TYPE, JSON.stringify(value)] as const;
const envelope = (more: object) => ({ type: 'event_callback', team_id: 'T1', event_time: 1, ...more });
const person = { team: { id: 'T1' }, user: { id: 'U1' } };
const modal = { id: 'V1', callback_id: 'settings', private_metadata: '' };

test('a signed request from a workspace without the bot does not make the signing secret look wrong', async () => {
  // Each verdict is noted once a minute, so this is the first test.

  const { status, lines } = await send(
    ...json(envelope({ event: { type: 'channel_archive', channel: 'C1' } })),
  );
  expect(status).toBe(401);
  expect(lines.filter(({ msg }) => msg.includes('SLACK_SIGNING_SECRET'))).toEqual([]);
});

const impossible: readonly (readonly [string, readonly [string, string], string])[] = [
  ['null', json(null), 'not an object'],
  ['an array', json([envelope({})]), 'not an object'],
  ['a number', json(7), 'not an object'],
  ['an object without a type', json({}), 'type'],
  ['an event without content', json({ type: 'event_callback' }), 'event'],
  ['an event that is null', json(envelope({ event: null })), 'event'],
  ['an event without a type', json(envelope({ event: {} })), 'event.type'],
  [
    'an event in no workspace',
    json({ type: 'event_callback', event: { type: 'app_uninstalled' } }),
    'team_id',
  ],
  [
    'an event of no channel',
    json(envelope({ event: { type: 'channel_archive', channel: null } })),
    'event.channel',
  ],
  [
    'an event at no time',
    json(envelope({ event: { type: 'app_uninstalled' }, event_time: 'never' })),
    'event_time',
  ],
  [
    'an event at the end of time',
    json(envelope({ event: { type: 'app_uninstalled' }, event_time: 1e300 })),
    'event_time',
  ],
  [
    'an event for nobody',
    json(envelope({ event: { type: 'channel_archive' }, authorizations: [null] })),
    'authorizations.0',
  ],
  ['an empty form', [FORM, ''], 'type'],
  ['two payloads', [FORM, 'payload=a&payload=b'], 'type'],
  ['a payload that is null', payload(null), 'not an object'],
  ['a payload that is an array', payload([]), 'not an object'],
  ['a command without a person', [FORM, 'command=%2Fsubscribe&team_id=T1&channel_id=C1'], 'user_id'],
  [
    'a command in two workspaces',
    [FORM, 'command=%2Fx&team_id=T1&team_id=T2&user_id=U&channel_id=C'],
    'team_id',
  ],
  ['a press by nobody', payload({ type: 'block_actions', actions: [{}] }), 'user'],
  ['a press of nothing', payload({ ...person, type: 'block_actions', actions: [] }), 'actions'],
  ['a press of null', payload({ ...person, type: 'block_actions', actions: [null] }), 'actions.0'],
  ['a submission of no form', payload({ ...person, type: 'view_submission' }), 'view'],
  [
    'a form without fields',
    payload({ ...person, type: 'view_submission', view: { ...modal, state: null } }),
    'view.state',
  ],
  ['a nameless shortcut', payload({ ...person, type: 'shortcut' }), 'callback_id'],
  ['a shortcut of no message', payload({ ...person, type: 'message_action', callback_id: 'why' }), 'message'],
];

test.each(impossible)(
  'Slack signs %s: 400, not to be sent again, and one line says what is wrong',
  async (_what, [type, body], cause) => {
    const { status, headers, lines } = await send(type, body);
    expect([status, headers['x-slack-no-retry']]).toEqual([400, '1']);
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'warn',
        msg: 'refused a request that Slack signed but that cannot be read',
        cause,
      }),
    ]);
    expect(lines[0]).not.toHaveProperty('err');
  },
);

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
  ['a kind of callback', json({ type: 'app_rate_limited', team_id: 'T1', minute_rate_limited: 1 })],
  ['an interaction', payload({ ...person, type: 'view_closed', view: modal })],
] as const)(
  '%s that the bot does not know is answered at once, so that Slack does not repeat it',
  async (_what, [type, body]) => {
    const { status, lines } = await send(type, body);
    expect(status).toBe(200);
    expect(lines).toEqual([
      expect.objectContaining({ level: 'warn', request: expect.stringMatching(/^\w+$/) }),
    ]);
  },
);
