import { randomBytes } from 'node:crypto';
import { copyFor } from '../core/access/copy-for.ts';
import { makeListExclusions } from '../core/channels/list-exclusions.ts';
import { makeShownNames } from '../core/channels/shown-names.ts';
import { makeCallbackTokens } from '../core/receiving/callback-token.ts';
import { makeShowHelp } from '../core/requests/show-help.ts';
import { helpEntries } from '../slack/grammar/help-entries.ts';
import { composeAccess } from './access.ts';
import { composeAdministering } from './administering.ts';
import type { Base } from './base.ts';
import { composeChannels } from './channels.ts';
import { composeExplaining } from './explaining.ts';
import { composeHome } from './home.ts';
import { composeLinking } from './linking.ts';
import { composeRequests } from './requests.ts';
import { composeSubscribing } from './subscribing.ts';
import { composeUpstream } from './upstream.ts';

export type Core = Awaited<ReturnType<typeof composeCore>>;

/** Composes the rooms that do what people ask for. Each room is composed after those it uses. */
export async function composeCore(base: Base) {
  const { store, slack, copy } = base;
  const tokenKey = await store.secrets.readOrCreate('callback tokens', () =>
    randomBytes(32).toString('base64'),
  );
  const tokens = makeCallbackTokens({ key: Buffer.from(tokenKey, 'base64') });
  const names = makeShownNames({
    channels: store.tables.channels,
    profileOf: slack.profileOf,
    nameOf: slack.nameOf,
  });
  const listExclusions = makeListExclusions({
    exclusions: store.tables.exclusions,
    profileOf: slack.profileOf,
    actorNameIn: names.actorNameIn,
    isDiscreet: names.isDiscreet,
  });
  const showHelp = makeShowHelp({ entries: helpEntries, copy: copyFor(copy) });
  const access = composeAccess(base);
  const linking = composeLinking(base);
  const upstream = composeUpstream(base, { linking, names, tokens });
  linking.beforeUnlinking(upstream.releaseLink);
  const home = composeHome(base, { names, listExclusions });
  const channels = composeChannels(base, { access, upstream, names, home });
  const subscribing = composeSubscribing(base, {
    access,
    linking,
    upstream,
    channels,
    names,
    home,
    listExclusions,
    showHelp,
  });
  const explaining = composeExplaining(base, { access, upstream, channels, names });
  const administering = composeAdministering(base, { access, linking, channels, subscribing, names, home });
  const requests = composeRequests(base, {
    access,
    linking,
    channels,
    subscribing,
    explaining,
    administering,
    showHelp,
  });
  return {
    tokens,
    names,
    access,
    linking,
    upstream,
    home,
    channels,
    subscribing,
    explaining,
    administering,
    requests,
  };
}
