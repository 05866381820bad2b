import type { ApiCall, makeApi } from './api.ts';
import type { makeAuthorize } from './authorize.ts';
import type { Endpoint } from './faults.ts';
import { type Received, single } from './received.ts';
import type { Reply } from './reply.ts';
import type { Grant } from './tokens.ts';

export const BASE_PATH = '/v1';

/** The endpoint of a request. */
export type Route = { endpoint: Endpoint; answer: () => Reply | Promise<Reply> };

type Deps = {
  api: ReturnType<typeof makeApi>;
  authorize: ReturnType<typeof makeAuthorize>;
  token: (received: Received) => Reply;
};

type Methods = Readonly<Partial<Record<string, { endpoint: Endpoint; call: ApiCall }>>>;

/** Creates the routing table. It returns the endpoint of a request, or 404 or 405. */
export function makeRoutes({ api, authorize, token }: Deps) {
  function methodsAt(path: string): Methods | undefined {
    if (path === '/notifications/subscriptions') {
      return {
        GET: { endpoint: 'list', call: api.list },
        POST: { endpoint: 'create', call: api.create },
      };
    }
    if (path === '/notifications/subscriptions/comprehensive') {
      return {
        GET: { endpoint: 'list comprehensive', call: api.listComprehensive },
        POST: { endpoint: 'create comprehensive', call: api.createComprehensive },
      };
    }
    const id = /^\/notifications\/subscriptions\/(\d+)$/.exec(path)?.[1];
    if (id !== undefined) {
      return {
        GET: { endpoint: 'get', call: api.get(id) },
        DELETE: { endpoint: 'delete', call: api.remove(id) },
      };
    }
    if (/^\/(projects|sessions)(\/|$)/.test(path)) {
      return { GET: { endpoint: 'listing', call: api.listing(path) } };
    }
    return;
  }

  function apiRoute(received: Received, caller: Grant | undefined): Route | Reply {
    const methods = methodsAt(received.path.slice(BASE_PATH.length));
    if (!methods) return notFound;
    const found = methods[received.method];
    if (!found) return methodNotAllowed(Object.keys(methods));
    return { endpoint: found.endpoint, answer: () => api.call(received, caller, found.call) };
  }

  function authorizeRoute(received: Received): Route | Reply {
    if (received.method === 'GET') {
      return { endpoint: 'authorize page', answer: () => authorize.page(received) };
    }
    if (received.method === 'POST') {
      return { endpoint: 'authorize decision', answer: () => authorize.decide(received) };
    }
    return methodNotAllowed(['GET', 'POST']);
  }

  function tokenRoute(received: Received): Route | Reply {
    if (received.method !== 'POST') return methodNotAllowed(['POST']);
    const grant = single(received.form, 'grant_type');
    const isKnown = grant === 'authorization_code' || grant === 'refresh_token';
    return { endpoint: isKnown ? `token:${grant}` : 'token', answer: () => token(received) };
  }

  return (received: Received, caller: Grant | undefined): Route | Reply => {
    if (received.path === '/auth/oauth/authorize') return authorizeRoute(received);
    if (received.path === '/auth/token') return tokenRoute(received);
    return received.path.startsWith(`${BASE_PATH}/`) ? apiRoute(received, caller) : notFound;
  };
}

const notFound: Reply = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'Not found.' };

function methodNotAllowed(allowed: readonly string[]): Reply {
  return {
    status: 405,
    headers: { 'content-type': 'text/plain', allow: allowed.join(', ') },
    body: 'Method not allowed.',
  };
}
