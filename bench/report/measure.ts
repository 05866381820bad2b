/** The unit of a value. */
export type Unit = 'ms' | 's' | '/s' | 'x' | 'MB' | '%' | 'µs' | '';

/** A bound for a value. */
export type Goal = { readonly least: number } | { readonly most: number };

/** One figure, with its goal. */
export type Measure = {
  /** Identifies the same figure in a small and a big run; unique within a section. */
  readonly key: string;
  readonly what: string;
  readonly value: number;
  readonly unit: Unit;
  readonly goal?: Goal | undefined;
  /** Additional information in a few words. */
  readonly note?: string | undefined;
  /** Which direction is better, if a large store must not change it much. */
  readonly better?: 'more' | 'less' | undefined;
  /** The plain question it answers, if it belongs in the table at the end. */
  readonly inShort?: string | undefined;
  /** In that table: what it is compared with, in a few words. */
  readonly beside?: string | undefined;
};

/** A group of measures by its name. */
export type Section = {
  readonly figure: string;
  /** What is compared with what, and why. */
  readonly about?: string | undefined;
  readonly measures: readonly Measure[];
};

/** The key of the only measure of a figure that could not be measured. */
export const failedKey = 'failed';

/** Returns whether a figure could not be measured. */
export function isFailed({ measures }: Section): boolean {
  return measures.some(({ key }) => key === failedKey);
}

/** Returns whether a value meets its goal; null if it has none. NaN meets no goal. */
export function isMet({ value, goal }: Pick<Measure, 'value' | 'goal'>): boolean | null {
  if (goal === undefined) return null;
  return 'least' in goal ? value >= goal.least : value <= goal.most;
}

/** Returns a value with its unit and its significant digits. */
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

/** Returns a goal in words; empty if there is none. */
export function goalShown({ goal, unit }: Pick<Measure, 'goal' | 'unit'>): string {
  if (goal === undefined) return '';
  return 'least' in goal ? `>= ${shown(goal.least, unit)}` : `<= ${shown(goal.most, unit)}`;
}

/** By what factor a large store may be worse than a small one. */
const mostChange = 1.2;

/** Compares the figures of a big run with those of a small one: each with a better direction gets its ratio. */
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
