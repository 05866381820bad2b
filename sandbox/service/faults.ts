/** The endpoints that can be made to fail. `token` alone means both grants. */
export type Endpoint =
  | 'authorize page'
  | 'authorize decision'
  | 'token'
  | 'token:authorization_code'
  | 'token:refresh_token'
  | 'create'
  | 'create comprehensive'
  | 'list'
  | 'list comprehensive'
  | 'get'
  | 'delete'
  | 'listing';

/** What goes wrong. */
export type FaultKind =
  | {
      kind: 'answer';
      status: number;
      body?: string | undefined;
      contentType?: string | undefined;
      /** Seconds, or an HTTP date as a string. */
      retryAfter?: number | string | undefined;
    }
  | { kind: 'delay'; ms: number }
  | { kind: 'reset' }
  | { kind: 'invalid JSON' };

export type Fault = FaultKind & {
  endpoint: Endpoint | 'every';
  /** How many requests it affects; without it, all until it is removed. */
  times?: number | undefined;
  /** How many requests pass before the first one it affects. */
  after?: number | undefined;
  /** Only requests with this user's access token. */
  user?: string | undefined;
  /** Only requests to a path with this end, such as a subscription's id. */
  pathEnd?: string | undefined;
  /**
   * True: the service carries out the request and only its response fails (such as a rotated refresh token whose response is lost).
   * Otherwise the service never sees the request.
   */
  committed?: boolean | undefined;
};

export type SetFault = {
  readonly fault: Fault;
  /** Returns how many requests it has affected. */
  hits(): number;
  remove(): void;
};

export type Faults = {
  /** Adds a fault, effective from the next request. Delays add up; of the other faults, the oldest match applies. */
  set(fault: Fault): SetFault;
  clear(): void;
  /** Counts a request and returns the faults that affect it. */
  take(endpoint: Endpoint, user: string | undefined, path: string): readonly Fault[];
};

type Entry = { fault: Fault; pass: number; left: number; hits: number };

/** Creates the faults of a service, initially none. */
export function makeFaults(): Faults {
  let entries: Entry[] = [];

  function meets(entry: Entry): boolean {
    if (entry.left <= 0) return false;
    if (entry.pass > 0) {
      entry.pass -= 1;
      return false;
    }
    entry.left -= 1;
    entry.hits += 1;
    return true;
  }

  return {
    set(fault) {
      const entry: Entry = {
        fault,
        pass: fault.after ?? 0,
        left: fault.times ?? Number.POSITIVE_INFINITY,
        hits: 0,
      };
      entries.push(entry);
      return {
        fault,
        hits: () => entry.hits,
        remove() {
          entries = entries.filter((one) => one !== entry);
        },
      };
    },
    clear() {
      entries = [];
    },
    take(endpoint, user, path) {
      const taken: Fault[] = [];
      for (const entry of entries) {
        if (!fits(entry.fault, { endpoint, user, path })) continue;
        const isTaken = entry.fault.kind !== 'delay' && taken.some(({ kind }) => kind !== 'delay');
        if (!isTaken && meets(entry)) taken.push(entry.fault);
      }
      return taken;
    },
  };
}

type Asked = { readonly endpoint: Endpoint; readonly user: string | undefined; readonly path: string };

function fits(fault: Fault, { endpoint, user, path }: Asked): boolean {
  if (fault.user !== undefined && fault.user !== user) return false;
  if (!path.endsWith(fault.pathEnd ?? '')) return false;
  return (
    fault.endpoint === 'every' || fault.endpoint === endpoint || endpoint.startsWith(`${fault.endpoint}:`)
  );
}
