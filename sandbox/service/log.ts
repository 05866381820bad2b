import type { Cause } from './changes.ts';

/** One event at the service, in chronological order. No event contains a token or a code. */
export type PracticeEvent =
  | {
      type: 'request';
      at: Date;
      endpoint: string;
      method: string;
      path: string;
      /** The owner of the access token, if it was valid. */
      user: string | null;
      /** The form fields, without secrets. */
      form: Readonly<Record<string, string>>;
      /** null: the connection was closed without a response. */
      status: number | null;
      /** The kinds of faults that affected this request. */
      faults: readonly string[];
    }
  | { type: 'authorization'; at: Date; user: string; decision: 'allow' | 'deny'; scope: string }
  | {
      type: 'token';
      at: Date;
      grant: 'authorization_code' | 'refresh_token' | 'implicit' | 'handed out';
      user: string;
      scope: string;
      family: number;
      withRefreshToken: boolean;
    }
  | { type: 'reuse'; at: Date; what: 'code' | 'refresh token'; user: string; family: number | null }
  | { type: 'revocation'; at: Date; why: 'reuse' | 'user'; user: string; family: number }
  | {
      type: 'subscription';
      at: Date;
      change: 'created' | 'removed';
      subscriptionId: number;
      user: string;
      resource: string;
      comprehensive: boolean;
    }
  | {
      type: 'change';
      at: Date;
      user: string;
      cause: Cause;
      eventType: string;
      resource: string;
      name: string;
    }
  | {
      type: 'delivery';
      at: Date;
      subscriptionId: number;
      deliveryId: number;
      /** 1 for the first attempt. */
      attempt: number;
      body: string;
      /** null: no response. */
      status: number | null;
      received: boolean;
    }
  /** The practice service itself failed and answered 500. */
  | { type: 'internal error'; at: Date; error: unknown };

export type EventOf<T extends PracticeEvent['type']> = Extract<PracticeEvent, { type: T }>;

export type PracticeLog = {
  add(event: PracticeEvent): void;
  all(): readonly PracticeEvent[];
  /** Returns the events of one type, in order. */
  of<T extends PracticeEvent['type']>(type: T): EventOf<T>[];
  /** Calls the listener with every future event. Returns a function that stops it. */
  on(listener: (event: PracticeEvent) => void): () => void;
  clear(): void;
};

/** Creates an empty log. */
export function makeLog(): PracticeLog {
  const events: PracticeEvent[] = [];
  const listeners = new Set<(event: PracticeEvent) => void>();
  return {
    add(event) {
      events.push(event);
      for (const listener of listeners) listener(event);
    },
    all: () => [...events],
    of: <T extends PracticeEvent['type']>(type: T) =>
      events.filter((event): event is EventOf<T> => event.type === type),
    on(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    clear() {
      events.length = 0;
    },
  };
}
