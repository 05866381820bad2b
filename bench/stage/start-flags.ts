import packageJson from '../../package.json' with { type: 'json' };

/** The flags of V8 that `npm start` gives Node. */
export const startFlags: readonly string[] = packageJson.scripts.start
  .split(' ')
  .filter((word) => word.startsWith('--') && !word.startsWith('--env-file'));
