import type { Logger } from 'pino';
import type { AccessRoom } from '../core/access/access-room.ts';
import type { AdministeringRoom } from '../core/administering/administering-room.ts';
import type { ChannelsRoom } from '../core/channels/channels-room.ts';
import type { ListExclusions } from '../core/channels/list-exclusions.ts';
import type { ShownNames } from '../core/channels/shown-names.ts';
import type { ExplainingRoom } from '../core/explaining/explaining-room.ts';
import type { LinkingRoom } from '../core/linking/linking-room.ts';
import type { Clock } from '../core/model/clock.ts';
import type { CallbackTokens } from '../core/receiving/callback-token.ts';
import type { RequestsRoom } from '../core/requests/requests-room.ts';
import type { ShowHelp } from '../core/requests/show-help.ts';
import type { ShowHome } from '../core/subscribing/show-home.ts';
import type { SubscribingRoom } from '../core/subscribing/subscribing-room.ts';
import type { UpstreamRoom } from '../core/upstream/upstream-room.ts';
import type { Env } from '../env.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import type { Copy } from '../messages/text/copy.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import type { ServiceRoom } from './service.ts';
import type { SlackRoom } from './slack.ts';
import type { StoreRoom } from './store.ts';
import type { Transactions } from './transactions.ts';

/** What every room is composed of, besides the rooms that it uses. */
export type Base = {
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

/**
 * The rooms of core, and what several of them share. A room's composer names those it uses. It spreads what the room calls by the same name
 * as where it comes from; the type of the room's dependencies says which of it is used.
 */
export type Rooms = {
  readonly tokens: CallbackTokens;
  readonly names: ShownNames;
  readonly listExclusions: ListExclusions;
  readonly showHelp: ShowHelp;
  readonly home: ShowHome;
  readonly access: AccessRoom;
  readonly linking: LinkingRoom;
  readonly upstream: UpstreamRoom;
  readonly channels: ChannelsRoom;
  readonly subscribing: SubscribingRoom;
  readonly explaining: ExplainingRoom;
  readonly administering: AdministeringRoom;
  readonly requests: RequestsRoom;
};
