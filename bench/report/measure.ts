/** What a value is counted in. */
export type Unit = 'ms' | 's' | '/s' | 'x' | 'MB' | '%' | 'µs' | '';

/** A bound that a value has to keep. */
export type Goal = { readonly least: number } | { readonly most: number };

/** One figure, with what it should be. */
export type Measure = {
  /** Under which a big run finds the same figure of a small one; unique within a figure. */
  readonly key: string;
  readonly what: string;
  readonly value: number;
  readonly unit: Unit;
  readonly goal?: Goal | undefined;
  /** What else belongs to it, in a few words. */
  readonly note?: string | undefined;
  /** Whether a large store must not change it much; with which direction is the better one. */
  readonly better?: 'more' | 'less' | undefined;
  /** The question that it answers, in plain words, where it belongs into the table at the end. */
  readonly inShort?: string | undefined;
  /** There: what it is compared with, in a few words. */
  readonly beside?: string | undefined;
};

/** A figure by its name, with all that it measured. */
export type Section = {
  readonly figure: string;
  /** What is compared with what, and why. */
  readonly about?: string | undefined;
  readonly measures: readonly Measure[];
};

/** Whether a value keeps its bound; null where there is none. A value that is no number keeps no bound. */
export function isMet({ value, goal }: Pick<Measure, 'value' | 'goal'>): boolean | null {
  if (goal === undefined) return null;
  return 'least' in goal ? value >= goal.least : value <= goal.most;
}

/** A value with its unit, in as many digits as say something. */
export function shown(value: number, unit: Unit): string {
  if (Number.isNaN(value)) return 'none';
  const digits = unit === 'x' ? 2 : decimals(value);
  const number = value.toLocaleString('en-US', { maximumFractionDigits: digits });
  if (unit === '') return number;
  return unit === '/s' || unit === '%' ? `${number}${unit === '%' ? ' %' : '/s'}` : `${number} ${unit}`;
}

function decimals(value: number): number {
  if (Math.abs(value) >= 100) return 0;
  return Math.abs(value) >= 10 ? 1 : 2;
}

/** A bound in words; empty where there is none. */
export function goalShown({ goal, unit }: Pick<Measure, 'goal' | 'unit'>): string {
  if (goal === undefined) return '';
  return 'least' in goal ? `>= ${shown(goal.least, unit)}` : `<= ${shown(goal.most, unit)}`;
}

/** How far a large store may be from a small one. */
const mostChange = 1.2;

/** The figures of a big run beside those of a small one: each that has a better direction gets its ratio. */
export function comparedTo(small: readonly Section[], big: readonly Section[]): Section[] {
  return big.map(({ figure, measures }) => {
    const before = new Map(
      small.find((section) => section.figure === figure)?.measures.map((measure) => [measure.key, measure]),
    );
    const compared = measures.flatMap((measure): Measure[] => {
      const one = before.get(measure.key);
      const own = { ...measure, goal: undefined, inShort: undefined };
      if (one === undefined || measure.better === undefined) return [own];
      // Above 1 is worse, whichever direction is better.
      const value = measure.better === 'less' ? measure.value / one.value : one.value / measure.value;
      const what = `${measure.what}: how much worse than small`;
      return [own, { key: `${measure.key} ratio`, what, value, unit: 'x', goal: { most: mostChange } }];
    });
    return { figure: `${figure}, big`, measures: compared };
  });
}
