import packageJson from '../../package.json' with { type: 'json' };

/** The flags of `npm start`, but for the one that reads the `.env` file of this folder. */
export const startFlags: readonly string[] = packageJson.scripts.start
  .split(' ')
  .filter((word) => word.startsWith('--') && !word.includes('env-file'));
