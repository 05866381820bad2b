import { fieldsOf, parseJson } from './json.ts';

/**
 * One way for the practice Slack to misbehave. With `delayMs` alone, the call is only slow. Of `status`, `error`, `reset`, `hang`, `body`
 * and `withoutTs`, only the first one that is set takes effect, in that order.
 */
export interface Fault {
  /** The Web API method, or `response_url`. Default: all. */
  method?: string | undefined;
  /** Only calls with this `channel` (or `user_id`). */
  channel?: string | undefined;
  /** Only calls with this workspace's token. */
  team?: string | undefined;
  /** How many calls it affects. Default 1; `Infinity`: until cleared. */
  times?: number | undefined;
  /** Only every n-th matching call: 10 makes one call in ten fail. */
  everyNth?: number | undefined;
  /**
   * Whether the call is still carried out (the message stored). Default: false with `status`, `error`, `reset` and `hang`; true if only the
   * response is late or unreadable. With `stored: true`, `delayMs` applies after it.
   */
  stored?: boolean | undefined;
  /** An HTTP status with Slack's usual body. */
  status?: number | undefined;
  /** `ok: false` with this error code, HTTP 200. */
  error?: string | undefined;
  /** Seconds for the `Retry-After` header; if undefined the header is omitted, even on a 429. */
  retryAfter?: number | undefined;
  /** Real milliseconds before the response (and, unless `stored`, before the call is carried out). */
  delayMs?: number | undefined;
  /** The connection is reset instead of a response. */
  reset?: boolean | undefined;
  /** No response until the practice Slack closes. */
  hang?: boolean | undefined;
  /** HTTP 200 with an HTML page, with the first half of the JSON, or with this text. */
  body?: 'html' | 'truncated' | { text: string } | undefined;
  /** `ok: true`, but without `ts` and `message`. */
  withoutTs?: boolean | undefined;
}

export interface FaultHandle {
  /** Returns how many calls it has affected. */
  hits(): number;
  /** Removes the fault. */
  clear(): void;
}

/** An HTTP response; `reset` and `hang` mean that nothing is sent. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
  instead?: 'reset' | 'hang' | undefined;
}

interface Armed {
  fault: Fault;
  seen: number;
  hits: number;
}

export interface FaultTarget {
  method: string;
  teamId: string | undefined;
  /** Every id that the call could refer to. */
  channels: unknown[];
}

function fits(fault: Fault, { method, teamId, channels }: FaultTarget): boolean {
  if (fault.method !== undefined && fault.method !== method) return false;
  if (fault.team !== undefined && fault.team !== teamId) return false;
  return fault.channel === undefined || channels.includes(fault.channel);
}

/** Holds the active faults; consulted once per call. The first match in the order of creation wins. */
export function makeFaults() {
  let armed: Armed[] = [];
  return {
    set(fault: Fault): FaultHandle {
      const entry: Armed = { fault, seen: 0, hits: 0 };
      armed.push(entry);
      return {
        hits: () => entry.hits,
        clear: () => {
          armed = armed.filter((other) => other !== entry);
        },
      };
    },
    clear(): void {
      armed = [];
    },
    take(target: FaultTarget): Fault | undefined {
      for (const entry of armed) {
        if (entry.hits >= (entry.fault.times ?? 1) || !fits(entry.fault, target)) continue;
        entry.seen += 1;
        if (entry.seen % (entry.fault.everyNth ?? 1) !== 0) continue;
        entry.hits += 1;
        return entry.fault;
      }
      return undefined;
    },
  };
}

const HTML_PAGE = '<!DOCTYPE html><html><head><title>Slack</title></head><body>Server Error</body></html>';

/** Returns whether the call is carried out before the fault replaces its response. */
export function carriesOut(fault: Fault): boolean {
  if (fault.stored !== undefined) return fault.stored;
  const spoils = fault.status ?? fault.error ?? fault.reset ?? fault.hang;
  return spoils === undefined;
}

/** Returns the response under `fault`; `honest` is the response without it. */
export function spoil(honest: Answer, fault: Fault): Answer {
  const retry = fault.retryAfter === undefined ? undefined : { 'retry-after': String(fault.retryAfter) };
  const headers = { ...honest.headers, ...retry };
  if (fault.status !== undefined) return { status: fault.status, headers, body: bodyOfStatus(fault.status) };
  if (fault.error !== undefined) {
    return { status: 200, headers, body: JSON.stringify({ ok: false, error: fault.error }) };
  }
  if (fault.reset) return { ...honest, instead: 'reset' };
  if (fault.hang) return { ...honest, instead: 'hang' };
  if (fault.body !== undefined) return { status: 200, ...spoiledBody(honest, fault.body) };
  if (fault.withoutTs) {
    const { ts: _ts, message: _message, message_ts: _messageTs, ...rest } = fieldsOf(parseJson(honest.body));
    return { ...honest, headers, body: JSON.stringify(rest) };
  }
  return { ...honest, headers };
}

function bodyOfStatus(status: number): string {
  if (status === 429) return JSON.stringify({ ok: false, error: 'ratelimited' });
  return status >= 500 ? HTML_PAGE : JSON.stringify({ ok: false, error: 'internal_error' });
}

function spoiledBody(honest: Answer, kind: NonNullable<Fault['body']>): Pick<Answer, 'headers' | 'body'> {
  if (kind === 'html') return { headers: { 'content-type': 'text/html; charset=utf-8' }, body: HTML_PAGE };
  const body = kind === 'truncated' ? honest.body.slice(0, Math.ceil(honest.body.length / 2)) : kind.text;
  return { headers: honest.headers, body };
}
