/** What the doctor checks, in the order of its output. */
export const topics = ['configuration', 'database', 'Slack', 'service', 'public address', 'clock'] as const;
type Topic = (typeof topics)[number];

/**
 * One line for the admin. Faults and warnings come with a remedy; the bot works despite a warning. A skipped topic could not be checked.
 */
export type SetupFinding =
  | { readonly topic: Topic; readonly state: 'ok' | 'skipped'; readonly text: string }
  | {
      readonly topic: Topic;
      readonly state: 'fault' | 'warning';
      readonly text: string;
      readonly remedy: string;
    };

/** What was found about another system. */
export type SystemFindings = {
  readonly findings: readonly SetupFinding[];
  /** How many seconds its clock is ahead of ours; null if unknown. */
  readonly aheadSeconds: number | null;
};

/** Returns what makes the findings on a topic. */
export function findingsOn(topic: Topic) {
  return {
    ok: (text: string): SetupFinding => ({ topic, state: 'ok', text }),
    skipped: (text: string): SetupFinding => ({ topic, state: 'skipped', text }),
    warning: (text: string, remedy: string): SetupFinding => ({ topic, state: 'warning', text, remedy }),
    fault: (text: string, remedy: string): SetupFinding => ({ topic, state: 'fault', text, remedy }),
  };
}

/** Splits one of our sentences into what is wrong and its remedy. */
export function halvesOf(sentence: string): [text: string, remedy: string] {
  const [text = sentence, ...remedy] = sentence.split(': ');
  return [text, remedy.join(': ').replace(/\.$/, '')];
}

/** Formats a finding as one line, without control characters from other systems. */
export function lineOf(finding: SetupFinding): string {
  const mark = finding.state === 'fault' ? 'FAULT' : finding.state;
  const remedy = 'remedy' in finding ? ` Remedy: ${finding.remedy}.` : '';
  return `${mark.padEnd(8)} ${finding.topic}: ${finding.text}.${remedy}`.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    ' ',
  );
}
