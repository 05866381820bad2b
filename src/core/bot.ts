import type { Keyv } from 'keyv';
import type { Clock } from '../lib/durations.ts';
import type { Later } from '../lib/later.ts';
import type { DebugLog, Log } from '../lib/log.ts';
import type { Processor } from '../lib/process.ts';
import type { Copy } from '../messages/text/copy.ts';
import type { ServiceClient } from '../service/client.ts';
import type { ServiceOAuth } from '../service/oauth.ts';
import type { Slack } from '../slack/slack-port.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import type { Db } from '../store/sql.ts';
import type { MarkedTurn, TurnMark } from '../store/tables/turn-mark.ts';
import type { HomeTabs } from './home/show-home.ts';
import type { Renewals } from './linking/access-tokens.ts';
import type { UrlTemplates } from './model/service-urls.ts';
import type { CallbackTokens } from './receiving/callback-token.ts';
import type { PostOutcome } from './slack.ts';

/** What every use case is handed. In a transaction (`inTransaction`), the same with that transaction as `db`. */
export type Bot = {
  readonly clock: Clock;
  readonly config: Config;
  readonly db: Db;
  /** Records by key; see `makeRecords`. */
  readonly keyv: Keyv;
  readonly slack: Slack;
  readonly service: ServiceClient & { readonly oauth: ServiceOAuth };
  readonly sealing: Sealing;
  /** Tokens of callback URLs. */
  readonly tokens: CallbackTokens;
  /** Does, from what is stored, what follows a link that was just made by this attempt. */
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

/** The lanes as a queue, as far as their turns need it. */
export type Queue = {
  /** Stores the result of a turn, together with those of other turns; false if another process has claimed its lane. */
  readonly mark: (turn: MarkedTurn) => Promise<boolean>;
};

/** Why a turn ends without a result. `throttled`: other lanes used up what their workspace can post; `part`: only a part of a summary was loaded; `unsettled`: see `isUnsettled`. */
export type GivenBackReason = 'fault' | 'throttled' | 'part' | 'unsettled' | 'empty';

/** How a refresh of tokens ended. `relink`: the person has to link again. */
type RefreshResult = 'refreshed' | 'relink' | 'failed';

/** What is counted of a turn's mark. */
export type CountedMark = Pick<TurnMark, 'events' | 'at'>;

/** What core counts. */
type CoreMetrics = {
  /** Counts what became of a turn's events. `acceptedAt`: of those in its message, except what was held on purpose or retried. */
  readonly settled: (mark: CountedMark, acceptedAt: readonly Date[]) => void;
  /** Counts a turn that ended without a result. */
  readonly givenBack: (reason: GivenBackReason) => void;
  /** Counts an attempt to post or edit a message. */
  readonly post: (outcome: PostOutcome['kind']) => void;
  /** Counts a refresh of tokens. */
  readonly refresh: (result: RefreshResult) => void;
};

/**
 * Runs work in one transaction: everything it stores with the bot it is handed is stored, or nothing is. It must ask neither Slack nor the
 * service, which would keep a connection and locks waiting. What it logs at `info` was done only once the transaction is committed, so
 * these lines follow then.
 */
export async function inTransaction<B extends Pick<Bot, 'db' | 'log'>, Result>(
  bot: B,
  work: (bot: B) => Promise<Result>,
): Promise<Result> {
  const lines: Parameters<Log['info']>[] = [];
  const log: DebugLog = {
    info: (...line) => void lines.push(line),
    debug: (...line) => bot.log.debug(...line),
    isLevelEnabled: (level) => bot.log.isLevelEnabled(level),
    warn: (...line) => bot.log.warn(...line),
    error: (...line) => bot.log.error(...line),
  };
  const result = await bot.db.transaction().execute((db) => work({ ...bot, db, log }));
  for (const line of lines) bot.log.info(...line);
  return result;
}
