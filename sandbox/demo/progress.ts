/** The progress of one part of the demo. */
export type Step = {
  readonly name: 'practice' | 'bot' | 'database' | 'ready';
  readonly label: string;
  readonly done: boolean;
};

/** What the page and the terminal show about the start. */
export type Progress = {
  readonly steps: readonly Step[];
  readonly isReady: boolean;
  /** The bot was killed from the page and has not been started again. */
  readonly isKilled: boolean;
  /** One sentence, once something has ended that should be running. */
  readonly failure: string | undefined;
};

const LABELS: Readonly<Record<Step['name'], string>> = {
  practice: 'Practice Slack and practice service',
  bot: 'Bot',
  database: 'Database',
  ready: 'Everything is ready',
};
const names = Object.keys(LABELS) as Step['name'][];

/**
 * Tracks what has started.
 * @param report called on every change
 */
export function makeProgress(report: (progress: Progress) => void) {
  const done = new Set<Step['name']>();
  let isKilled = false;
  let failure: string | undefined;
  const current = (): Progress => ({
    steps: names.map((name) => ({ name, label: LABELS[name], done: done.has(name) })),
    isReady: names.every((name) => done.has(name)) && failure === undefined,
    isKilled,
    failure,
  });
  return {
    current,
    reached(name: Step['name']): void {
      if (done.has(name)) return;
      done.add(name);
      report(current());
    },
    killed(): void {
      isKilled = true;
      done.delete('bot');
      done.delete('ready');
      report(current());
    },
    startedAgain(): void {
      isKilled = false;
      report(current());
    },
    failed(sentence: string): void {
      failure ??= sentence;
      report(current());
    },
  };
}

export type ProgressKeeper = ReturnType<typeof makeProgress>;
