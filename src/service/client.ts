import type { KyInstance } from 'ky';
import { followedWords } from '../core/model/format-request.ts';
import { ServiceError, type ServiceErrorKind } from '../core/model/service-error.ts';
import type { Target } from '../core/model/subscription.ts';
import { makeOneAtATime } from '../lib/later.ts';
import type { Log } from '../lib/log.ts';
import { parseJson } from '../lib/text.ts';
import { type AttemptedCall, makeFailures } from './errors.ts';
import { isSuccess, readAnswer, type ServiceAnswer } from './http.ts';
import { type CreatedRemote, parseCreated, parseList, parseRemote, type Remote } from './shapes.ts';

const subscriptions = 'notifications/subscriptions';
const comprehensiveSubscriptions = `${subscriptions}/comprehensive`;

export type ServiceClientDeps = {
  /** The interface's `{base_url}`, including the version segment, without a trailing slash. */
  readonly baseUrl: string;
  /** The requested scopes, named in the log if the service forbids a call. */
  readonly scopes: readonly string[];
  readonly serviceName?: string | undefined;
  readonly log?: Pick<Log, 'warn'> | undefined;
  /** Timeout for one request including its answer; 10,000 by default. */
  readonly timeoutMs?: number | undefined;
};

type NewRemote = {
  readonly target: Target;
  /** True for the target and everything in it, false for the target alone. */
  readonly comprehensive: boolean;
  readonly callbackUrl: string;
};

export type ServiceClient = ReturnType<typeof makeServiceClient>;

/**
 * Creates a client for the service's API, which acts for the owner of the access token it is given. Calls throw only `ServiceError`, follow
 * no redirects, and do not retry after a network failure: callers and the queue decide that.
 */
export function makeServiceClient(deps: ServiceClientDeps) {
  const { log, timeoutMs = 10_000 } = deps;
  const failures = makeFailures({
    serviceName: deps.serviceName ?? 'the collaboration service',
    scopes: deps.scopes,
  });
  let made: Promise<KyInstance> | undefined;
  /** Loaded on the first call, since it pulls in all of Node's `fetch`, and a bot that only posts never calls. */
  const api = (): Promise<KyInstance> =>
    (made ??= import('ky').then(({ default: ky }) =>
      ky.create({
        prefix: deps.baseUrl,
        headers: { accept: 'application/json' },
        redirect: 'manual',
        retry: 0,
        // Ky's own timeout ends with the headers; the signal below also covers the body.
        timeout: false,
        throwHttpErrors: false,
      }),
    ));
  /** Which spelling the service took last, by what it leaves open. */
  const spelled = new Map<'item' | 'document', Spelling>();
  // The service's limits are not documented, so each account creates one at a time.
  const oneAtATime = makeOneAtATime();

  async function send(
    accessToken: string,
    request: ServiceRequest,
    attempt: AttemptedCall,
  ): Promise<ServiceAnswer> {
    const { method, path, form } = request;
    try {
      const call = await api();
      const response = await call(path, {
        method,
        headers: {
          authorization: `Bearer ${accessToken}`,
          ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(form === undefined ? {} : { body: form.toString() }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      return await readAnswer(response);
    } catch (error) {
      throw failures.fromThrown(attempt, error);
    }
  }

  async function succeed(
    accessToken: string,
    request: ServiceRequest,
    attempt: AttemptedCall,
  ): Promise<ServiceAnswer> {
    const answer = await send(accessToken, request, attempt);
    if (isSuccess(answer)) return answer;
    throw failures.fromAnswer(attempt, answer);
  }

  async function create(accessToken: string, request: NewRemote, spelling: Spelling) {
    const { target, comprehensive, callbackUrl } = request;
    const attempt = {
      action: `create a ${comprehensive ? 'comprehensive' : 'plain'} subscription to ${followedWords(target)}`,
      secrets: [accessToken, callbackUrl, callbackUrl.split('/').at(-1) ?? ''],
    };
    const answer = await succeed(
      accessToken,
      {
        method: 'post',
        path: comprehensive ? comprehensiveSubscriptions : subscriptions,
        form: new URLSearchParams({ ...fieldsOf(target, spelling), Uri: callbackUrl }),
      },
      attempt,
    );
    const created = parseCreated(parseJson(answer.text));
    if (created === null) throw failures.fromUnreadable(attempt, answer, 'without a subscription record');
    return created;
  }

  async function createSpelled(accessToken: string, request: NewRemote): Promise<CreatedRemote> {
    const open = openIn(request.target);
    if (open === null) return create(accessToken, request, 'listed');
    const first = spelled.get(open) ?? 'listed';
    const second = first === 'listed' ? 'other' : 'listed';
    try {
      return await create(accessToken, request, first);
    } catch (error) {
      if (!isRefusedAsWritten(error)) throw error;
      const created = await create(accessToken, request, second).catch((again: unknown) => {
        throw isRefusedAsWritten(again) ? error : again;
      });
      spelled.set(open, second);
      return created;
    }
  }

  async function list(accessToken: string, path: string): Promise<Remote[]> {
    const attempt = { action: `list ${path}`, secrets: [accessToken] };
    const answer = await succeed(accessToken, { method: 'get', path }, attempt);
    const parsed = parseList(parseJson(answer.text));
    if (parsed === null) throw failures.fromUnreadable(attempt, answer, 'without a subscription list');
    return parsed;
  }

  /** The interface does not document this answer, so only a dead token or a rate limit may stop the caller. */
  async function listComprehensive(accessToken: string): Promise<Remote[]> {
    try {
      return await list(accessToken, comprehensiveSubscriptions);
    } catch (error) {
      if (!(error instanceof ServiceError) || stopsEverything.has(error.kind)) throw error;
      const { status, forLog } = error;
      log?.warn({ status, cause: forLog }, 'comprehensive subscriptions could not be listed');
      return [];
    }
  }

  return {
    /** Creates a subscription. Where a value's spelling is open, a 400 or 422 leads to one try with the other, remembered if accepted. */
    createSubscription: (accessToken: string, request: NewRemote): Promise<CreatedRemote> =>
      oneAtATime(accessToken, () => createSpelled(accessToken, request)),

    /**
     * Lists the plain and, if they can be read, the comprehensive subscriptions, each once. The service may omit some, and may list one
     * workspace only, so a missing subscription is lost only if looking it up by id fails too.
     */
    async listSubscriptions(accessToken: string): Promise<Remote[]> {
      const plain = await list(accessToken, subscriptions);
      const comprehensive = await listComprehensive(accessToken);
      const byId = new Map([...comprehensive, ...plain].map((remote) => [remote.id, remote]));
      return [...byId.values()];
    },

    /** Returns one subscription by the service's id. If it does not exist, throws a `ServiceError` of kind `not-found`. */
    async getSubscription(accessToken: string, subscriptionId: string): Promise<Remote> {
      const attempt = { action: `get subscription ${subscriptionId}`, secrets: [accessToken] };
      const answer = await succeed(accessToken, { method: 'get', path: pathOf(subscriptionId) }, attempt);
      const remote = parseRemote(parseJson(answer.text));
      if (remote === null) throw failures.fromUnreadable(attempt, answer, 'without a subscription record');
      return remote;
    },

    /** Deletes a subscription by the service's id. Returns `gone` if it no longer existed, which is just as good. */
    async deleteSubscription(accessToken: string, subscriptionId: string): Promise<'deleted' | 'gone'> {
      const attempt = { action: `delete subscription ${subscriptionId}`, secrets: [accessToken] };
      const answer = await send(accessToken, { method: 'delete', path: pathOf(subscriptionId) }, attempt);
      if (isSuccess(answer)) return 'deleted';
      if (answer.status === 404 || answer.status === 410) return 'gone';
      throw failures.fromAnswer(attempt, answer);
    },
  };
}

const stopsEverything = new Set<ServiceErrorKind>(['unauthorized', 'rate-limited']);

type ServiceRequest = {
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  readonly form?: URLSearchParams | undefined;
};

/**
 * Two values the interface leaves open: whether `ItemType` is `file` or `File`, and whether a session document's parent is written
 * `SessionDocuments` or `Sessions`. `listed` is the spelling in the interface's tables, `other` the one that appears elsewhere in it.
 */
type Spelling = 'listed' | 'other';

/** Returns which of the two a target's request contains; null for neither. */
function openIn({ kind }: Target): 'item' | 'document' | null {
  if (kind === 'document') return kind;
  return kind === 'folder' || kind === 'file' ? 'item' : null;
}

function isRefusedAsWritten(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 400 || error.status === 422);
}

function fieldsOf(target: Target, spelling: Spelling): Record<string, string> {
  switch (target.kind) {
    case 'project':
      return { ParentResourceType: 'Projects', ProjectId: target.projectId };
    case 'folder':
    case 'file':
      return {
        ParentResourceType: 'ProjectItems',
        ProjectId: target.projectId,
        ItemType: spelling === 'listed' ? target.kind : { folder: 'Folder', file: 'File' }[target.kind],
        ProjectItemId: target.itemId,
      };
    case 'session':
      return { ParentResourceType: 'Sessions', SessionId: target.sessionId };
    case 'document':
      return {
        ParentResourceType: spelling === 'listed' ? 'SessionDocuments' : 'Sessions',
        SessionId: target.sessionId,
        SessionDocumentId: target.documentId,
      };
  }
}

function pathOf(subscriptionId: string): string {
  return `${subscriptions}/${encodeURIComponent(subscriptionId)}`;
}
