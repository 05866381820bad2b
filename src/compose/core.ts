import { randomBytes } from 'node:crypto';
import { makeListExclusions } from '../core/channels/list-exclusions.ts';
import { makeShownNames } from '../core/channels/shown-names.ts';
import { makeCallbackTokens } from '../core/receiving/callback-token.ts';
import { makeShowHelp } from '../core/requests/show-help.ts';
import { helpEntries } from '../slack/grammar/help-entries.ts';
import { composeAccess } from './access.ts';
import { composeAdministering } from './administering.ts';
import type { Base, Rooms } from './base.ts';
import { composeChannels } from './channels.ts';
import { composeExplaining } from './explaining.ts';
import { composeHome } from './home.ts';
import { composeLinking } from './linking.ts';
import { composeRequests } from './requests.ts';
import { composeSubscribing } from './subscribing.ts';
import { composeUpstream } from './upstream.ts';

/** Composes the rooms that do what people ask for. Each room is composed after those it uses. */
export async function composeCore(base: Base): Promise<Rooms> {
  const { store, slack } = base;
  const tokenKey = await store.secrets.readOrCreate('callback tokens', () =>
    randomBytes(32).toString('base64'),
  );
  const tokens = makeCallbackTokens({ key: Buffer.from(tokenKey, 'base64') });
  const names = makeShownNames({ ...store.tables, ...slack });
  const listExclusions = makeListExclusions({ ...store.tables, ...slack, ...names });
  const showHelp = makeShowHelp({ entries: helpEntries });
  const access = composeAccess(base);
  const linking = composeLinking(base);
  const upstream = composeUpstream(base, { linking, names, tokens });
  linking.beforeUnlinking(upstream.releaseLink);
  const home = composeHome(base, { names, listExclusions });
  const channels = composeChannels(base, { access, upstream, names, home });
  const shared = { tokens, names, listExclusions, showHelp, home, access, linking, upstream, channels };
  const subscribing = composeSubscribing(base, shared);
  const explaining = composeExplaining(base, shared);
  const administering = composeAdministering(base, { ...shared, subscribing });
  const rooms = { ...shared, subscribing, explaining, administering };
  return { ...rooms, requests: composeRequests(base, rooms) };
}
