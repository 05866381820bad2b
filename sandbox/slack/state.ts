import { makeChanges } from './changes.ts';
import { makeDirectory, type Workspace } from './directory.ts';
import { makeFaults } from './faults.ts';
import { makeIds } from './ids.ts';
import { makeInstalls } from './installs.ts';
import type { Fields } from './json.ts';
import { makeMessages } from './messages.ts';
import { makeOffences } from './offences.ts';
import { makeRates, type RateMode } from './rates.ts';
import { makeResponseUrls } from './response-urls.ts';
import { makeTriggers } from './triggers.ts';
import { makeViews } from './views.ts';

/** One call of the Web API, or one use of a response URL, as it came in and as it was answered. */
export interface ApiCall {
  /** The method, or `response_url`. */
  method: string;
  /** Parsed arguments without the token. */
  args: Fields;
  /** The workspace whose token was shown; undefined where none was, or a wrong one. */
  teamId: string | undefined;
  userAgent: string | undefined;
  /** Milliseconds on the practice Slack's clock. */
  at: number;
  /** HTTP status as answered; undefined until then, and where the connection was reset. */
  status: number | undefined;
  /** `ok`, Slack's error, `reset` or `hang`; undefined until answered. */
  outcome: string | undefined;
  /** Whether a fault spoilt it. */
  faulted: boolean;
}

/** The app as it is registered with Slack. */
export interface AppRegistration {
  appId: string;
  clientId: string;
  clientSecret: string;
  signingSecret: string;
  /** Where installs lead back to when the authorize address does not say. */
  redirectUri: string | undefined;
  /** Whether installs give tokens that expire. Slack does not let an app turn it off again. */
  tokenRotation: boolean;
}

export interface StateOptions {
  now: () => number;
  /** Different at every start. */
  salt: string;
  rateLimit: RateMode;
  workspacePostsPerMinute: number;
  app: AppRegistration;
}

/** All that the practice Slack knows. Its doors (Web API, response URLs, people) share it. */
export function makeState({ now, salt, rateLimit, workspacePostsPerMinute, app }: StateOptions) {
  const changes = makeChanges();
  const ids = makeIds({ now, salt });
  const directory = makeDirectory({ ids });
  const offences = makeOffences({ now, changes });
  const calls: ApiCall[] = [];
  return {
    app,
    now,
    ids,
    changes,
    directory,
    offences,
    calls,
    messages: makeMessages({ now, ids, directory, changes }),
    views: makeViews({ ids, changes }),
    triggers: makeTriggers({ now, ids }),
    responseUrls: makeResponseUrls({ now, ids }),
    installs: makeInstalls({ now, ids }),
    faults: makeFaults(),
    rates: makeRates({ now, offences, changes, mode: rateLimit, workspacePostsPerMinute }),
    /** Called with workspaces whose token the app itself has just revoked. */
    onRevoked: new Set<(workspaces: Workspace[]) => void>(),
    /** Ends waits and requests under way. */
    closing: new AbortController(),
  };
}

export type State = ReturnType<typeof makeState>;
