import type { Changes } from './changes.ts';

export type OffenceKind =
  /** Faster than Slack allows. */
  | 'rate'
  /** Blocks or a view that Slack refuses. */
  | 'blocks'
  /** Nothing for screen readers and notifications: Slack takes it, the accessibility rules do not. */
  | 'text-missing'
  /** More text than Slack asks for or allows. */
  | 'text-too-long'
  /** A trigger id used twice, too late, or never handed out. */
  | 'trigger'
  /** A refresh token used a second time. */
  | 'refresh-token'
  /** A response URL used more often or later than allowed. */
  | 'response-url'
  /** An answer to a command or form that Slack cannot use. */
  | 'answer';

export interface Offence {
  kind: OffenceKind;
  method: string;
  sentence: string;
  teamId: string | undefined;
  /** Milliseconds on the practice Slack's clock. */
  at: number;
}

export type NewOffence = Omit<Offence, 'at'>;

/** The list of everything the bot did that Slack does not allow or does not like. Empty for a good bot. */
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
