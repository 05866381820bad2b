/**
 * Returns how many random cases a property is tried with: all of them in `npm run test:faults`, a fifth in the quick tests, of whose time all
 * would take a twentieth.
 */
export const manyRuns = (all: number): number => (process.env.ALL_RUNS === 'yes' ? all : Math.ceil(all / 5));
