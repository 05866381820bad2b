import type { Clock } from '../lib/durations.ts';
import type { Later } from '../lib/later.ts';
import type { DebugLog } from '../lib/log.ts';
import type { Processor } from '../lib/processor.ts';
import type { Copy } from '../messages/text/copy.ts';
import type { ServiceClient } from '../service/client.ts';
import type { ServiceOAuth } from '../service/oauth.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import type { Db } from '../store/sql.ts';
import type { HomeTabs } from './home/show-home.ts';
import type { Renewals } from './linking/access-tokens.ts';
import type { CoreMetrics } from './metrics.ts';
import type { UrlTemplates } from './model/service-urls.ts';
import type { Queue } from './queue.ts';
import type { CallbackTokens } from './receiving/callback-token.ts';
import type { Slack } from './slack.ts';

/** What every use case is handed. In a transaction (`inTransaction`), the same with that transaction as `db`. */
export type Bot = {
  readonly clock: Clock;
  readonly config: Config;
  readonly db: Db;
  readonly slack: Slack;
  readonly service: ServiceClient & { readonly oauth: ServiceOAuth };
  readonly sealing: Sealing;
  /** Tokens of callback URLs. */
  readonly tokens: CallbackTokens;
  /** Does, from what is stored, what follows a link that was just made by this attempt. Never throws. */
  readonly followUpLink: (attemptId: string) => Promise<void>;
  readonly later: Later;
  readonly queue: Queue;
  readonly log: DebugLog;
  readonly metrics: CoreMetrics;
  readonly inProcess: InProcess;
};

/** What this process has for itself; nothing of it outlives the process. */
type InProcess = {
  readonly processor: Processor;
  /** Waits so many milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly homeTabs: HomeTabs;
  readonly renewals: Renewals;
};

/** What admins set, as far as core needs it. */
type Config = {
  /** Without a trailing slash. */
  readonly publicUrl: string;
  /** How many days events are kept. */
  readonly retentionDays: number;
  /** Where messages link to. */
  readonly urlTemplates: UrlTemplates;
  /** The service's name, and how commands are typed. */
  readonly copy: Copy;
};
