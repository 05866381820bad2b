import type { Act, AnyRequest } from '../../core/model/any-request.ts';
import { dayMs, minuteMs } from '../../lib/durations.ts';
import { importEnded } from '../../messages/admin/imports.ts';
import { replaceQuestionOver } from '../../messages/linking/linking.ts';
import { tooLateToUndo } from '../../messages/subscribing/answers.ts';
import type { Copy } from '../../messages/text/copy.ts';
import { type Message, readPage } from '../../messages/text/message.ts';

/*
 * Buttons of the last release, which stay in its messages. Their ids named what they do, and their values were not yet requests. This file
 * goes with the next release; then they are answered with "Open the list again".
 */

/** Returns what a button asked for, to be parsed. `held`: the request that its value was, if it was one. */
type OldButton = (value: string, held: AnyRequest | null) => unknown;

const only =
  (act: Act): OldButton =>
  () => ({ act });
const withId =
  (act: Act): OldButton =>
  (id) => ({ act, id });
const withPage =
  (act: Act): OldButton =>
  (value) => ({ act, page: readPage(value) });
const answer =
  (options: { shared?: true; agreed?: true } = {}): OldButton =>
  (_, request) => ({ act: 'answer', request, ...options });

const inMenus: Readonly<Record<string, Act>> = {
  mute: 'mute-item',
  skip: 'hide-person',
  follow: 'follow-item',
  edit: 'edit-shown',
};

/** By `action_id`. */
export const oldButtons: Readonly<Record<string, OldButton>> = {
  activity_menu: (value) => {
    const [act = '', seq] = value.split(':', 2);
    return act === 'why' ? { act: 'why-message' } : { act: inMenus[act], seq };
  },
  subscription_menu: (value) => {
    const [act, id] = value.split(':', 2);
    return { act, id };
  },
  show_all: () => ({ act: 'show-all', page: 0 }),
  show_all_previous: withPage('show-all'),
  show_all_next: withPage('show-all'),
  link_open: only('open-link'),
  enter_link_code: only('enter-code'),
  unlink_ask: only('unlink'),
  unlink_confirm: only('unlink-now'),
  subscribe_kind: answer(),
  subscribe_anyway: answer(),
  subscribe_shared: answer({ shared: true }),
  subscribe_scope: answer({ shared: true, agreed: true }),
  subscribe_folder_only: answer({ shared: true }),
  run_correction: answer(),
  shared_show_all: () => ({ act: 'show-in-shared', all: true }),
  shared_show_less: () => ({ act: 'show-in-shared', all: false }),
  subscription_remove: withId('remove'),
  subscription_take_over: withId('take-over'),
  subscription_edit: withId('edit'),
  subscription_pause: withId('pause'),
  subscription_resume: withId('resume'),
  subscription_undo: (value) => ({ act: 'undo-removal', ids: value.split(',') }),
  settings_undo: (value) => {
    const [id, key = '', at] = value.split(':');
    return { act: 'undo-change', id, key, at: Number(at) };
  },
  show_again: withId('show-again'),
  unsubscribe_all_confirm: only('remove-all'),
  ask_admin: withId('ask-admin'),
  request_allow: withId('allow'),
  request_decline: withId('decline'),
  settings_open: only('settings'),
  import_open: only('import'),
  workspace_open: only('workspace'),
  workspace_back: withPage('home'),
  workspace_clear: only('workspace'),
  workspace_pause: withId('admin-pause'),
  workspace_resume: withId('admin-resume'),
  workspace_remove: withId('admin-remove'),
  workspace_pause_all: only('admin-pause'),
  workspace_resume_all: only('admin-resume'),
  workspace_remove_all: only('admin-remove'),
  workspace_pause_hidden: only('admin-pause-hidden'),
  workspace_previous: withPage('workspace'),
  workspace_next: withPage('workspace'),
  audit_open: only('audit'),
  audit_newest: only('audit'),
  audit_older: (before) => ({ act: 'audit', before }),
  remove_data_open: only('remove-data'),
  why_page_previous: withPage('why-page'),
  why_page_next: withPage('why-page'),
  doctor_details: only('doctor-details'),
  mend_link: only('link'),
  mend_mute: only('unmute'),
  mend_posting: only('repair-posting'),
  mend_record: withId('repair-remote'),
  mend_dead: only('replay-dead'),
  list_page_previous: listPage,
  list_page_next: listPage,
  dismiss: only('dismiss'),
  home_link: only('link'),
  home_unlink: only('unlink'),
  home_follow: only('open-form-anywhere'),
  home_follow_personally: () => ({ act: 'open-form', personal: true }),
  home_mute: (channelId) => ({
    act: 'in-channel',
    channelId,
    request: { act: 'mute', minutes: dayMs / minuteMs },
  }),
  home_unmute: (channelId) => ({ act: 'in-channel', channelId, request: { act: 'unmute' } }),
  home_page_previous: withPage('home'),
  home_page_next: withPage('home'),
};

function listPage(value: string) {
  const [purpose, page = ''] = value.split(':');
  return { act: 'list-page', purpose, page: readPage(page) };
}

/** Buttons for what the last release no longer did either, with what to do instead. */
export const endedButtons: Readonly<Record<string, (copy: Copy) => Message>> = {
  link_replace_confirm: replaceQuestionOver,
  link_replace_cancel: replaceQuestionOver,
  import_accept: () => importEnded,
  import_decline: () => importEnded,
  exclusion_undo: () => tooLateToUndo(),
};
