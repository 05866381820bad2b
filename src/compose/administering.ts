import { createHash } from 'node:crypto';
import { makeAdministeringRoom } from '../core/administering/administering-room.ts';
import { parseWords } from '../slack/grammar/parse-fields.ts';
import type { Base, Rooms } from './base.ts';

type AdministeringUses = Pick<Rooms, 'access' | 'linking' | 'channels' | 'subscribing' | 'names' | 'home'>;

/** Composes what admins and operators do to a whole workspace. */
export function composeAdministering({ store, slack, clock, log }: Base, uses: AdministeringUses) {
  const { access, linking, channels, subscribing, names, home } = uses;
  return makeAdministeringRoom({
    ...store,
    ...store.tables,
    ...slack,
    ...slack.screens,
    ...access,
    ...linking,
    ...subscribing,
    audited: store.audit,
    publish: slack.screens.publishHome,
    requireLink: linking.commands.requireLink,
    pauseSubscription: channels.pauseSubscription,
    namesIn: names.namesIn,
    home,
    refreshHome: home.refresh,
    readWords: parseWords,
    hash: (text) => createHash('sha256').update(text).digest('base64url'),
    clock,
    log,
  });
}
