/**
 * Returns how many random cases a property is tried with: all of them in `npm run test:faults`, a tenth in the quick tests, of whose time all
 * would take a tenth.
 */
export const manyRuns = (all: number): number => (process.env.ALL_RUNS === 'yes' ? all : Math.ceil(all / 10));
