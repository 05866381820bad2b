/** What the doctor checks, in the order of its output. */
export const topics = ['configuration', 'database', 'Slack', 'service', 'public address', 'clock'] as const;
export type Topic = (typeof topics)[number];

/**
 * One line for the admin. A fault has a remedy; so has a warning, with which the bot works all the same; what is skipped could not be
 * looked at.
 */
export type SetupFinding =
  | { readonly topic: Topic; readonly state: 'ok' | 'skipped'; readonly text: string }
  | {
      readonly topic: Topic;
      readonly state: 'fault' | 'warning';
      readonly text: string;
      readonly remedy: string;
    };

export function ok(topic: Topic, text: string): SetupFinding {
  return { topic, state: 'ok', text };
}

export function skipped(topic: Topic, text: string): SetupFinding {
  return { topic, state: 'skipped', text };
}

export function fault(topic: Topic, text: string, remedy: string): SetupFinding {
  return { topic, state: 'fault', text, remedy };
}

export function warning(topic: Topic, text: string, remedy: string): SetupFinding {
  return { topic, state: 'warning', text, remedy };
}

/** A finding as one line, with control characters from other systems removed. */
export function lineOf(finding: SetupFinding): string {
  const mark = finding.state === 'fault' ? 'FAULT' : finding.state;
  const remedy = 'remedy' in finding ? ` Remedy: ${finding.remedy}.` : '';
  return `${mark.padEnd(8)} ${finding.topic}: ${finding.text}.${remedy}`.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    ' ',
  );
}
