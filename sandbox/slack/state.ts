import { makeChanges } from './changes.ts';
import { makeDirectory, type Workspace } from './directory.ts';
import { makeFaults } from './faults.ts';
import { makeIds } from './ids.ts';
import { makeInstalls } from './installs.ts';
import type { Fields } from './json.ts';
import { type Message, makeMessages } from './messages.ts';
import { makeRates, type RateMode } from './rates.ts';
import { makeResponseUrls } from './response-urls.ts';
import { makeTriggers } from './triggers.ts';
import { makeViews } from './views.ts';
import { makeViolations } from './violations.ts';

/** One call of the Web API or use of a response URL, with its response. */
export interface ApiCall {
  /** The method, or `response_url`. */
  method: string;
  /** Parsed arguments without the token. */
  args: Fields;
  /** The workspace of the token; undefined if it was missing or wrong. */
  teamId: string | undefined;
  userAgent: string | undefined;
  /** Epoch milliseconds on the practice Slack's clock. */
  at: number;
  /** HTTP status of the response; undefined before it, and if the connection was reset. */
  status: number | undefined;
  /** `ok`, Slack's error code, `reset` or `hang`; undefined until answered. */
  outcome: string | undefined;
  /** Whether a fault affected it. */
  faulted: boolean;
}

/** The app as registered with Slack. */
export interface AppRegistration {
  appId: string;
  clientId: string;
  clientSecret: string;
  signingSecret: string;
  /** With the slash; undefined: Slack passes on every command. */
  commands: readonly string[] | undefined;
  /** The hosts whose links the app is sent (`features.unfurl_domains`). */
  unfurlDomains: readonly string[];
  /** Where installs return if the authorize URL does not say. */
  redirectUri: string | undefined;
  /** Whether installs issue tokens that expire. Slack does not let an app turn it off again. */
  tokenRotation: boolean;
}

export interface StateOptions {
  now: () => number;
  /** The clock by which triggers expire. */
  triggersNow: () => number;
  /** Different on every start. */
  salt: string;
  rateLimit: RateMode;
  workspacePostsPerMinute: number;
  app: AppRegistration;
}

/** The whole state of the practice Slack, shared by the Web API, response URLs and user actions. */
export function makeState(options: StateOptions) {
  const { now, triggersNow, salt, rateLimit, workspacePostsPerMinute, app } = options;
  const changes = makeChanges();
  const ids = makeIds({ now, salt });
  const directory = makeDirectory({ ids });
  const violations = makeViolations({ now, changes });
  const calls: ApiCall[] = [];
  return {
    app,
    now,
    ids,
    changes,
    directory,
    violations,
    calls,
    messages: makeMessages({ now, ids, directory, changes }),
    views: makeViews({ ids, changes }),
    triggers: makeTriggers({ now: triggersNow, ids }),
    responseUrls: makeResponseUrls({ now, ids }),
    installs: makeInstalls({ now, ids }),
    faults: makeFaults(),
    rates: makeRates({ now, violations, changes, mode: rateLimit, workspacePostsPerMinute }),
    /** The message of each `unfurl_id`; undefined while its text was still in the composer. */
    unfurls: new Map<string, Message | undefined>(),
    /** Called with the workspaces whose token the app itself has just revoked. */
    onRevoked: new Set<(workspaces: Workspace[]) => void>(),
    /** Aborts waits and in-flight requests. */
    closing: new AbortController(),
  };
}

export type State = ReturnType<typeof makeState>;
