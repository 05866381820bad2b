import type { Changes } from './changes.ts';

export type OffenceKind =
  /** Faster than Slack allows. */
  | 'rate'
  /** Blocks or a view that Slack refuses. */
  | 'blocks'
  /** No text for screen readers and notifications: Slack accepts it, accessibility rules do not. */
  | 'text-missing'
  /** More text than Slack recommends or allows. */
  | 'text-too-long'
  /** A trigger id that was used twice, too late, or never issued. */
  | 'trigger'
  /** A refresh token used twice. */
  | 'refresh-token'
  /** A response URL used more often or later than allowed. */
  | 'response-url'
  /** A response to a command or form that Slack cannot use. */
  | 'answer';

export interface Offence {
  kind: OffenceKind;
  method: string;
  sentence: string;
  teamId: string | undefined;
  /** Epoch milliseconds on the practice Slack's clock. */
  at: number;
}

export type NewOffence = Omit<Offence, 'at'>;

/** Collects everything the bot did that Slack forbids or discourages. A well-behaved bot leaves it empty. */
export function makeOffences({ now, changes }: { now: () => number; changes: Changes }) {
  const list: Offence[] = [];
  return {
    list,
    add(offence: NewOffence): void {
      list.push({ ...offence, at: now() });
      changes.notify();
    },
  };
}

export type Offences = ReturnType<typeof makeOffences>;
