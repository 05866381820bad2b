import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { copyFor } from '../core/access/copy-for.ts';
import { makeListExclusions } from '../core/channels/list-exclusions.ts';
import { makeShownNames } from '../core/channels/shown-names.ts';
import type { Clock } from '../core/model/clock.ts';
import { makeCallbackTokens } from '../core/receiving/callback-token.ts';
import { makeShowHelp } from '../core/requests/show-help.ts';
import type { Env } from '../env.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import type { Copy } from '../messages/text/copy.ts';
import { helpEntries } from '../slack/grammar/help-entries.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import { composeAccess } from './access.ts';
import { composeAdministering } from './administering.ts';
import { composeChannels } from './channels.ts';
import { composeExplaining } from './explaining.ts';
import { composeHome } from './home.ts';
import { composeLinking } from './linking.ts';
import { composeRequests } from './requests.ts';
import type { ServiceRoom } from './service.ts';
import type { SlackRoom } from './slack.ts';
import type { StoreRoom } from './store.ts';
import { composeSubscribing } from './subscribing.ts';
import type { Transactions } from './transactions.ts';
import { composeUpstream } from './upstream.ts';

export type Core = Awaited<ReturnType<typeof composeCore>>;

type CoreDeps = {
  readonly env: Env;
  readonly store: StoreRoom;
  readonly transactions: Transactions;
  readonly slack: SlackRoom;
  readonly service: ServiceRoom;
  readonly metrics: Metrics;
  readonly sealing: Sealing;
  readonly copy: Copy;
  readonly clock: Clock;
  readonly log: Logger;
};

/** The rooms that do what people ask for. A room comes after those it uses. */
export async function composeCore(deps: CoreDeps) {
  const { env, store, transactions, slack, service, metrics, sealing, copy, clock, log } = deps;
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
  const access = composeAccess({ store, slack, copy, clock, log });
  const linking = composeLinking({ env, store, slack, service, metrics, copy, clock, log });
  const upstream = composeUpstream({
    env,
    store,
    transactions,
    slack,
    service,
    linking,
    names,
    tokens,
    sealing,
    copy,
    clock,
    log,
  });
  linking.beforeUnlinking(upstream.releaseLink);
  const home = composeHome({ store, slack, names, listExclusions, copy, log });
  const channels = composeChannels({
    store,
    transactions,
    slack,
    access,
    upstream,
    names,
    home,
    copy,
    clock,
    log,
  });
  const subscribing = composeSubscribing({
    env,
    store,
    transactions,
    slack,
    access,
    linking,
    upstream,
    channels,
    names,
    home,
    listExclusions,
    showHelp,
    copy,
    clock,
  });
  const explaining = composeExplaining({
    env,
    store,
    transactions,
    slack,
    service,
    access,
    upstream,
    channels,
    names,
    copy,
    clock,
  });
  const administering = composeAdministering({
    store,
    slack,
    access,
    linking,
    channels,
    subscribing,
    names,
    home,
    clock,
    log,
  });
  const requests = composeRequests({
    store,
    slack,
    access,
    linking,
    channels,
    subscribing,
    explaining,
    administering,
    showHelp,
    copy,
    clock,
    log,
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
