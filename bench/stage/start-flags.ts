import packageJson from '../../package.json' with { type: 'json' };

/** The V8 flags of `npm start`. */
export const startFlags: readonly string[] = packageJson.scripts.start
  .split(' ')
  .filter((word) => word.startsWith('--') && !word.startsWith('--import'));
