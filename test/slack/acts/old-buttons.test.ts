import { expect, test } from 'vitest';
import { anyRequestSchema } from '../../../src/core/model/any-request.ts';
import { oldButtons } from '../../../src/slack/acts/old-buttons.ts';

const id = '0b7e0d1e-30c2-4f4e-9a51-6f1f0a3d5c01';
const other = '0b7e0d1e-30c2-4f4e-9a51-6f1f0a3d5c02';
const held = {
  act: 'subscribe',
  target: { kind: 'project', projectId: '123-456-789' },
  comprehensive: true,
  filters: {},
} as const;

/** What each button of the release 0.1.0 sent, and what it asks for now. */
const sent: Readonly<Record<string, readonly (readonly [value: string, request: object])[]>> = {
  activity_menu: [
    ['mute:7', { act: 'mute-item', seq: '7' }],
    ['skip:7', { act: 'hide-person', seq: '7' }],
    ['follow:7', { act: 'follow-item', seq: '7' }],
    ['edit:7', { act: 'edit-shown', seq: '7' }],
    ['why:7', { act: 'why-message' }],
  ],
  subscription_menu: [
    [`edit:${id}`, { act: 'edit', id }],
    [`activity:${id}`, { act: 'activity', id }],
    [`check:${id}`, { act: 'check', id }],
  ],
  show_all: [['message', { act: 'show-all', page: 0 }]],
  show_all_previous: [['0', { act: 'show-all', page: 0 }]],
  show_all_next: [['2', { act: 'show-all', page: 2 }]],
  link_open: [['', { act: 'open-link' }]],
  enter_link_code: [['', { act: 'enter-code' }]],
  unlink_ask: [['', { act: 'unlink' }]],
  unlink_confirm: [['', { act: 'unlink-now' }]],
  subscribe_kind: [['', { act: 'answer', request: held }]],
  subscribe_anyway: [['', { act: 'answer', request: held }]],
  subscribe_shared: [['', { act: 'answer', request: held, shared: true }]],
  subscribe_folder_only: [['', { act: 'answer', request: held, shared: true }]],
  run_correction: [['', { act: 'answer', request: held }]],
  shared_show_all: [['', { act: 'show-in-shared', all: true }]],
  shared_show_less: [['', { act: 'show-in-shared', all: false }]],
  subscription_remove: [[id, { act: 'remove', id }]],
  subscription_take_over: [[id, { act: 'take-over', id }]],
  subscription_pause: [[id, { act: 'pause', id }]],
  subscription_resume: [[id, { act: 'resume', id }]],
  subscription_undo: [[`${id},${other}`, { act: 'undo-removal', ids: [id, other] }]],
  show_again: [[id, { act: 'show-again', id }]],
  unsubscribe_all_confirm: [['', { act: 'remove-all' }]],
  request_allow: [[id, { act: 'allow', id }]],
  request_decline: [[id, { act: 'decline', id }]],
  settings_open: [['', { act: 'settings' }]],
  why_page_previous: [['0', { act: 'why-page', page: 0 }]],
  why_page_next: [['1', { act: 'why-page', page: 1 }]],
  doctor_details: [['', { act: 'doctor-details' }]],
  mend_link: [['', { act: 'link' }]],
  mend_mute: [['', { act: 'unmute' }]],
  mend_posting: [['', { act: 'repair-posting' }]],
  mend_record: [[id, { act: 'repair-remote', id }]],
  mend_dead: [['', { act: 'replay-dead' }]],
  list_page_previous: [['subscriptions:0', { act: 'list-page', purpose: 'subscriptions', page: 0 }]],
  list_page_next: [['unsubscribe:12', { act: 'list-page', purpose: 'unsubscribe', page: 12 }]],
  dismiss: [['', { act: 'dismiss' }]],
  home_link: [['', { act: 'link' }]],
  home_unlink: [['', { act: 'unlink' }]],
  home_follow: [['', { act: 'open-form-anywhere' }]],
  home_page_previous: [['0', { act: 'home', page: 0 }]],
  home_page_next: [['1', { act: 'home', page: 1 }]],
};

test('every button of the release 0.1.0 still asks for what it said', () => {
  expect(Object.keys(oldButtons)).toEqual(Object.keys(sent));
  for (const [actionId, cases] of Object.entries(sent)) {
    for (const [value, request] of cases) {
      expect([actionId, anyRequestSchema.parse(oldButtons[actionId]?.(value, held))]).toEqual([
        actionId,
        request,
      ]);
    }
  }
});

test('what no such button sent is no request', () => {
  const odd = ['', 'mute', 'mute:', 'mute:x', 'delete:1', `mute:${'1'.repeat(20)}`, 'x:y:z', `${id}::`];
  const asked = ['activity_menu', 'subscription_menu', 'subscription_remove'].flatMap((actionId) =>
    odd.map((value) => anyRequestSchema.safeParse(oldButtons[actionId]?.(value, null)).success),
  );
  expect(asked).not.toContain(true);
});
