import { setTimeout as sleep } from 'node:timers/promises';
import type { PracticeData } from './data.ts';
import type { Limits } from './limits.ts';
import { listing } from './listings.ts';
import type { Received } from './received.ts';
import { type Reply, refusal } from './reply.ts';
import type { makeSubscriptionEndpoints } from './subscription-endpoints.ts';
import type { SwitchBoard } from './switches.ts';
import type { Grant, Tokens } from './tokens.ts';

/** Handles a request to the API; `caller` comes from its valid access token. */
export type ApiCall = (received: Received, caller: Grant) => Reply | Promise<Reply>;

type Deps = {
  data: PracticeData;
  endpoints: ReturnType<typeof makeSubscriptionEndpoints>;
  limits: Limits;
  switches: SwitchBoard;
  tokens: Tokens;
};

/** How long a create takes if one user must not have two in flight: otherwise they would never overlap. */
const SLOW_CREATE_MS = 30;

/** Creates the part of the service below {base_url}: access checks and endpoints. */
export function makeApi({ data, endpoints, limits, switches, tokens }: Deps) {
  function unauthorized(received: Received): Reply {
    const tokenSent = received.header('authorization') !== undefined;
    const challenge = tokenSent ? 'Bearer error="invalid_token"' : 'Bearer';
    const headers = switches.get('challenge') === 'sent' ? { 'www-authenticate': challenge } : {};
    return refusal({ status: 401, message: 'The access token is missing or not valid.', headers }, switches);
  }

  function barred({ user, scope }: Grant): Reply | undefined {
    const wait = limits.tooMany(user);
    if (wait !== undefined) return tooManyRequests(wait);
    const needed = switches.get('scopeNeeded');
    if (needed === 'none' || scope.split(' ').includes(needed)) return;
    return refusal({ status: 403, message: `The scope ${needed} is needed.` }, switches);
  }

  function tooManyRequests(seconds: number): Reply {
    const headers = { 'retry-after': String(seconds) };
    return refusal({ status: 429, message: 'Too many requests.', headers }, switches);
  }

  async function create(received: Received, caller: Grant, comprehensive: boolean): Promise<Reply> {
    if (!limits.beginCreate(caller.user)) return tooManyRequests(1);
    try {
      if (switches.get('concurrentCreates') === '429') await sleep(SLOW_CREATE_MS);
      return await endpoints.create(received, caller, comprehensive);
    } finally {
      limits.endCreate(caller.user);
    }
  }

  return {
    /** Returns the owner of the request's valid access token. */
    caller(received: Received): Grant | undefined {
      const token = /^Bearer +(\S+)$/i.exec(received.header('authorization') ?? '')?.[1];
      return token === undefined ? undefined : tokens.whose(token);
    },
    /** Calls `then` if the request is allowed; otherwise answers 401, 403 or 429. */
    async call(received: Received, caller: Grant | undefined, then: ApiCall): Promise<Reply> {
      if (!caller) return unauthorized(received);
      return barred(caller) ?? (await then(received, caller));
    },
    create: (received: Received, caller: Grant) => create(received, caller, false),
    createComprehensive: (received: Received, caller: Grant) => create(received, caller, true),
    list: (_: Received, caller: Grant) => endpoints.list(caller),
    listComprehensive: (_: Received, caller: Grant) => endpoints.listComprehensive(caller),
    get: (id: string) => (_: Received, caller: Grant) => endpoints.get(id, caller),
    remove: (id: string) => (_: Received, caller: Grant) => endpoints.remove(id, caller),
    /** @param path below {base_url} */
    listing: (path: string) => (_: Received, caller: Grant) => {
      const found = switches.get('listings') === 'present' ? listing(path, caller, data) : undefined;
      return found ?? refusal({ status: 404, message: 'Not found.' }, switches);
    },
  };
}
