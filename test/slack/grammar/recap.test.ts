import { expect, test } from 'vitest';
import { formatRequest } from '../../../src/core/model/format-request.ts';
import { parseCommand } from '../../../src/slack/grammar/parse-command.ts';

test.for([
  ['recap', {}],
  ['recap today', { since: 'today' }],
  ['history since yesterday', { since: 'yesterday' }],
  ['recap since monday', { since: 'monday' }],
  ['recap monday!', { since: 'monday' }],
  ['recap since mondey', { since: 'monday' }],
  ['recap 3 days', { since: { days: 3 } }],
  ['recap last 3 days', { since: { days: 3 } }],
  ['recap this week', { since: { days: 7 } }],
  ['recap 30 days', { since: { days: 7 } }],
  ['recap 2h', { since: { minutes: 120 } }],
  ['recap A-101 Floor plan.pdf', { named: 'A-101 Floor plan.pdf' }],
  ['recap today A-101 Floor plan.pdf 🙏', { since: 'today', named: 'A-101 Floor plan.pdf' }],
  ['recap "today" since friday', { since: 'friday', named: 'today' }],
  ['recap Level 2', { named: 'Level 2' }],
  [
    'recap <https://studio.example/projects/412-873-550/files/50>',
    { named: 'https://studio.example/projects/412-873-550/files/50' },
  ],
  ['recap to me', { personal: true }],
] as const)('"%s" is understood', ([line, asked]) => {
  const request = { act: 'recap', ...asked };
  expect(parseCommand('plancast', line)).toEqual({ ok: true, request });
  // As it is shown, it means the same.
  const shown = formatRequest(request as never);
  expect(parseCommand('plancast', shown)).toEqual({ ok: true, request });
});

test('a name longer than any is cut', () => {
  const parsed = parseCommand('plancast', `recap ${'x'.repeat(3_000)}`);
  expect(parsed).toMatchObject({ ok: true, request: { named: 'x'.repeat(500) } });
});
