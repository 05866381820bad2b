import { makeRequestsRoom } from '../core/requests/requests-room.ts';
import type { Base, Rooms } from './base.ts';

type RequestsUses = Pick<
  Rooms,
  'access' | 'linking' | 'channels' | 'subscribing' | 'explaining' | 'administering' | 'showHelp'
>;

/** Composes the path of every request. */
export function composeRequests({ store, slack, clock, log }: Base, uses: RequestsUses) {
  const { access, linking, channels, subscribing, explaining, administering, showHelp } = uses;
  return makeRequestsRoom({
    ...store,
    ...store.tables,
    ...slack,
    ...access,
    ...subscribing,
    ...administering,
    askedBy: (person, channelId) =>
      slack.contextFrom({ person, channelId, elsewhere: true, responseUrl: null }),
    placeOf: async (context, request) => access.atHome(await access.placeOf(context, request)),
    links: linking.commands,
    mute: channels.mute,
    bareVerbs: {
      ...access.bareVerbs,
      ...linking.bareVerbs,
      ...channels.bareVerbs,
      ...explaining.bareVerbs,
      ...administering.bareVerbs,
    },
    showHelp,
    clock,
    log,
  });
}
