import type { Changes } from './changes.ts';

export type ViolationKind =
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

export interface Violation {
  kind: ViolationKind;
  method: string;
  sentence: string;
  teamId: string | undefined;
  /** Epoch milliseconds on the practice Slack's clock. */
  at: number;
}

export type NewViolation = Omit<Violation, 'at'>;

/** Collects everything the bot did that Slack forbids or discourages. A well-behaved bot leaves it empty. */
export function makeViolations({ now, changes }: { now: () => number; changes: Changes }) {
  const list: Violation[] = [];
  return {
    list,
    add(violation: NewViolation): void {
      list.push({ ...violation, at: now() });
      changes.notify();
    },
  };
}

export type Violations = ReturnType<typeof makeViolations>;
