import { parseArgs } from 'node:util';
import { readAddress } from '../src/address.ts';
import { buildManifest, type ShortCommands } from './build-manifest.ts';
import { commands } from './commands.ts';

/** Slack's limit, including the slash. */
const longestCommand = 32;
/** Slack's limit of hosts whose links it sends to an app. */
const mostDomains = 5;

const usage = `Prints the manifest of the Slack app as JSON.

  npm run --silent manifest -- --url https://bot.example.com [--prefix studio- | --no-short] [--rotate-tokens]
       [--link-domain projects.example.com]…

  --url       the address under which Slack reaches the bot (PUBLIC_URL)
  --prefix    renames the short commands: --prefix studio- gives /studio-subscribe
  --no-short  leaves the short commands out; everything is reachable below /plancast
              After either, the bot needs SLACK_SUBSCRIBE_COMMAND; its value is printed on stderr
  --rotate-tokens
              has Slack's tokens expire after 12 hours; the bot refreshes them. Slack doesn't let an app turn this off again
  --link-domain
              a host of the addresses in SERVICE_PROJECT_URL and the others, up to five: links to it that people post get a
              preview. Slack then sends the bot these links from every conversation
`;

class WrongArguments extends Error {}

try {
  process.stdout.write(answer(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof WrongArguments)) {
    throw error;
  }
  process.stderr.write(`${error.message}\n\n${usage}`);
  process.exitCode = 2;
}

function answer(args: string[]): string {
  const options = readOptions(args);
  if (options.help) {
    return usage;
  }
  const short = readShort(options);
  const manifest = buildManifest(readUrl(options.url), short, {
    rotateTokens: options['rotate-tokens'],
    linkDomains: readLinkDomains(options['link-domain']),
  });
  const subscribe = short === 'none' ? '/plancast subscribe' : `/${short.prefix}subscribe`;
  if (subscribe !== '/subscribe') {
    process.stderr.write(
      `Set SLACK_SUBSCRIBE_COMMAND=${subscribe} for the bot, so that its messages name these commands.\n`,
    );
  }
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function readOptions(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        url: { type: 'string' },
        prefix: { type: 'string' },
        'no-short': { type: 'boolean' },
        'rotate-tokens': { type: 'boolean' },
        'link-domain': { type: 'string', multiple: true },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new WrongArguments(error instanceof Error ? error.message : 'These arguments are not understood.', {
      cause: error,
    });
  }
}

function readUrl(url: string | undefined): string {
  if (url === undefined) {
    throw new WrongArguments('--url is missing.');
  }
  const read = readAddress(url);
  if (!read.ok) {
    throw new WrongArguments(`What --url says ${read.fault}.`);
  }
  return read.address;
}

function readLinkDomains(given: readonly string[] = []): readonly string[] {
  const hosts = [...new Set(given.map((host) => host.toLowerCase()))];
  const wrong = hosts.find((host) => host.length > 255 || !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host));
  if (wrong !== undefined || hosts.length > mostDomains) {
    throw new WrongArguments(
      `--link-domain takes the name of a host, such as projects.example.com, and may be given up to ${mostDomains} times.`,
    );
  }
  return hosts;
}

function readShort(options: {
  prefix?: string | undefined;
  'no-short'?: boolean | undefined;
}): ShortCommands {
  const { prefix } = options;
  if (options['no-short']) {
    if (prefix !== undefined) {
      throw new WrongArguments('--prefix and --no-short exclude each other.');
    }
    return 'none';
  }
  if (prefix === undefined) {
    return { prefix: '' };
  }
  const longestName = Math.max(
    ...Object.entries(commands).map(([name, row]) => (row.short ? name.length : 0)),
  );
  const longestPrefix = longestCommand - 1 - longestName;
  if (!/^[a-z0-9][a-z0-9_-]*$/.test(prefix) || prefix.length > longestPrefix) {
    throw new WrongArguments(
      `--prefix takes 1 to ${longestPrefix} lower-case letters, digits, hyphens and underscores, such as studio-.`,
    );
  }
  if (prefix.endsWith('un')) {
    throw new WrongArguments('--prefix must not end in "un": it would turn /subscribe into /…unsubscribe.');
  }
  return { prefix };
}
