/** The endpoints that can be made to fail. `token` alone means both of its grants. */
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
      /** Seconds, or an HTTP date as text. */
      retryAfter?: number | string | undefined;
    }
  | { kind: 'delay'; ms: number }
  | { kind: 'reset' }
  | { kind: 'invalid JSON' };

export type Fault = FaultKind & {
  endpoint: Endpoint | 'every';
  /** How many requests it meets; without it, all until it is taken away. */
  times?: number | undefined;
  /** How many requests pass before the first it meets. */
  after?: number | undefined;
  /** Only requests with this user's access token. */
  user?: string | undefined;
  /**
   * True: the service does what was asked, and only its answer goes wrong (a rotated refresh token whose
   * answer is lost). Otherwise the service never hears of the request.
   */
  committed?: boolean | undefined;
};

export type SetFault = {
  readonly fault: Fault;
  /** How many requests it has met. */
  hits(): number;
  remove(): void;
};

export type Faults = {
  /** Adds a fault, from the next request on. Delays add up; of the others the oldest that fits is met. */
  set(fault: Fault): SetFault;
  clear(): void;
  /** Counts a request, and gives the faults that it meets. */
  take(endpoint: Endpoint, user: string | undefined): readonly Fault[];
};

type Entry = { fault: Fault; pass: number; left: number; hits: number };

/** Makes a service's faults: none at first. */
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
    take(endpoint, user) {
      const taken: Fault[] = [];
      for (const entry of entries) {
        if (!fits(entry.fault, endpoint, user)) continue;
        const isTaken = entry.fault.kind !== 'delay' && taken.some(({ kind }) => kind !== 'delay');
        if (!isTaken && meets(entry)) taken.push(entry.fault);
      }
      return taken;
    },
  };
}

function fits(fault: Fault, endpoint: Endpoint, user: string | undefined): boolean {
  if (fault.user !== undefined && fault.user !== user) return false;
  return (
    fault.endpoint === 'every' || fault.endpoint === endpoint || endpoint.startsWith(`${fault.endpoint}:`)
  );
}
