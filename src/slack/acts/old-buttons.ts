import type { Act, AnyRequest } from '../../core/model/any-request.ts';
import { readPage } from '../../messages/text/message.ts';

/*
 * Buttons of release 0.1.0, which stay in its messages. Their ids named what they do, and their values were not yet requests. This file
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
  (options: { shared?: true } = {}): OldButton =>
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
  subscribe_folder_only: answer({ shared: true }),
  run_correction: answer(),
  shared_show_all: () => ({ act: 'show-in-shared', all: true }),
  shared_show_less: () => ({ act: 'show-in-shared', all: false }),
  subscription_remove: withId('remove'),
  subscription_take_over: withId('take-over'),
  subscription_pause: withId('pause'),
  subscription_resume: withId('resume'),
  subscription_undo: (value) => ({ act: 'undo-removal', ids: value.split(',') }),
  show_again: withId('show-again'),
  unsubscribe_all_confirm: only('remove-all'),
  request_allow: withId('allow'),
  request_decline: withId('decline'),
  settings_open: only('settings'),
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
  home_page_previous: withPage('home'),
  home_page_next: withPage('home'),
};

function listPage(value: string) {
  const [purpose, page = ''] = value.split(':');
  return { act: 'list-page', purpose, page: readPage(page) };
}
