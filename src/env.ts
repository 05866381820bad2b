// Longer than other files because it is one table: every setting, how it is parsed, and where it ends up.

import { isIP } from 'node:net';
import { z } from 'zod';
import { isBrowserAddress, readAddress } from './address.ts';
import { parseSignatureSetting } from './core/receiving/key-signatures.ts';
import { namesBeside } from './slack/grammar/command-names.ts';
import { parseTokenKeys, TokenKeysError } from './store/sealing/token-keys.ts';

/** Access to one workspace by its bot token, or to any number of workspaces that install the app. */
type SlackAccess =
  | { readonly kind: 'one workspace'; readonly botToken: string }
  | { readonly kind: 'installed'; readonly clientId: string; readonly clientSecret: string };

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const defaultPort = 3000;

/** Connections beside the pool, by role: 2 for notifications; 3 for lanes, 1 that listens, and 3 for chores. */
const moreConnections = { web: 2, worker: 7, all: 9 };

const newKey = '`npm run keys -- new` makes one';

/** The origin of every `response_url`, whatever the address of the API (Slack: handling user interaction). */
const slackResponseOrigin = 'https://hooks.slack.com';

const text = (repair: string) =>
  z
    .string({ error: `is missing: ${repair}` })
    .regex(/^\P{Cc}*$/u, { error: `has a line break or another control character in it: ${repair}` });

/** What a parser found: the value, or what is wrong and how to fix it, phrased to follow the variable's name. */
type SettingRead<T> = { readonly value: T } | { readonly fault: string };

const parsedBy = <T>(parse: (text: string) => SettingRead<T>, given: z.ZodType<string> = z.string()) =>
  given.transform((text, context): T => {
    const parsed = parse(text);
    if ('value' in parsed) return parsed.value;
    context.addIssue({ code: 'custom', message: parsed.fault });
    return z.NEVER;
  });

const address = (repair: string) =>
  parsedBy((value) => {
    const read = readAddress(value);
    return read.ok ? { value: read.address } : { fault: `${read.fault}: ${repair}` };
  }, text(repair));

const wholeNumber = (least: number, most: number, repair: string) =>
  z
    .string()
    .regex(/^\d{1,9}$/, { error: `is not a whole number: ${repair}` })
    .transform(Number)
    .refine((value) => value >= least && value <= most, {
      error: `is not from ${least} to ${most}: ${repair}`,
    });

const linkTemplate = (...placeholders: readonly string[]) => {
  const known = placeholders.map((name) => `{${name}}`).join(' and ');
  const repair = `set it to an https address with ${known} in it, or remove it for no links`;
  const anyKnown = new RegExp(`\\{(?:${placeholders.join('|')})\\}`, 'g');
  return parsedBy<string>((value) => {
    const plain = value.replace(anyKnown, 'x');
    if (/[{}]/.test(plain)) return { fault: `has an unknown placeholder: ${repair}` };
    return isBrowserAddress(plain) ? { value } : { fault: `is not an https address: ${repair}` };
  }).optional();
};

const oneOf = <const Word extends string>(words: readonly Word[]) =>
  z.enum(words, {
    error: `has an unknown value: set it to ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
  });

const hostName = (repair: string) =>
  z.string().refine((value) => isIP(value) !== 0 || /^[\w-]+(\.[\w-]+)*\.?$/.test(value), {
    error: `is not the address or name of an interface: ${repair}`,
  });

const signature = parsedBy((text) => {
  const value = parseSignatureSetting(text);
  const fault =
    'is not understood: set it to off, observe or enforce:<header>:<scheme>, such as enforce:x-signature:sha256-hex';
  return value === null ? { fault } : { value };
});

const subscribeCommand = parsedBy((text) => {
  const value = namesBeside(text);
  const fault =
    'is none of the names that a manifest can give it: set it to /studio-subscribe for a manifest made with --prefix' +
    ' studio-, to /plancast subscribe for one made with --no-short, or remove it for /subscribe';
  return value === null ? { fault } : { value };
});

const tokenKeys = parsedBy((text) => {
  try {
    return { value: parseTokenKeys(text) };
  } catch (error) {
    // Its messages identify keys only by position.
    const reason = error instanceof TokenKeysError ? ` ${error.message}` : '';
    return {
      fault: `is malformed.${reason} Set it to id:base64-of-32-bytes, several with commas between: ${newKey}`,
    };
  }
});

/** All variables, in the order the README lists them. */
const variables = z.object({
  PUBLIC_URL: address(
    'set it to the https address under which Slack, browsers and the service reach the bot',
  ),
  HOST: hostName(
    'set it to an IP address without brackets or port, or remove it to use all interfaces',
  ).optional(),
  PORT: wholeNumber(0, 65_535, 'set it to the port to listen on, or remove it to use 3000').default(
    defaultPort,
  ),
  TRUST_PROXY: wholeNumber(
    0,
    100,
    'set it to the number of proxies in front of the bot, or remove it to use 0',
  ).default(0),
  DATABASE_URL: z
    .string()
    .refine(isPostgresAddress, {
      error:
        'is not the address of a Postgres database: set it to postgres://user:password@host:5432/database with' +
        ' special characters percent-encoded, or remove it to use the embedded one',
    })
    .optional(),
  // With fewer, connections would wait for each other: an installation is written while its lock is held on another connection.
  DATABASE_POOL_SIZE: wholeNumber(
    5,
    200,
    'set it to a number of connections to Postgres, or remove it to use 10',
  ).default(10),
  DATA_DIR: text('set it to the folder of the embedded Postgres and generated keys').default('.data'),
  SLACK_SIGNING_SECRET: text('copy the Signing Secret from Basic Information of the Slack app'),
  SLACK_CLIENT_ID: text('copy the Client ID from Basic Information of the Slack app').optional(),
  SLACK_CLIENT_SECRET: text('copy the Client Secret from Basic Information of the Slack app').optional(),
  SLACK_BOT_TOKEN: text('copy the Bot User OAuth Token from OAuth & Permissions of the Slack app')
    // Slack: user tokens begin with xoxp-, app-level tokens with xapp-; neither can post as the bot.
    .refine((value) => !/^(xoxp|xapp)-/.test(value), {
      error: 'is a token of another kind: copy the Bot User OAuth Token, which begins with xoxb-',
    })
    .optional(),
  SLACK_API_URL: address('set it to an https address, or remove it to use https://slack.com/api/').default(
    'https://slack.com/api',
  ),
  SLACK_SUBSCRIBE_COMMAND: subscribeCommand.prefault('/subscribe'),
  SERVICE_NAME: text('set it to the name shown to people, in one line')
    .max(80, { error: 'is longer than 80 characters: set it to the name shown to people' })
    .default('the collaboration service'),
  SERVICE_BASE_URL: address('set it to the https address of the service with its version, such as …/v1'),
  SERVICE_AUTH_URL: address('set it to the https address of the authorization server of the service'),
  SERVICE_CLIENT_ID: text('copy the client id of the app registered at the service'),
  SERVICE_CLIENT_SECRET: text('copy the client secret of the app registered at the service'),
  SERVICE_SCOPES: z
    .string()
    // RFC 6749, 3.3: scope tokens are printable ASCII without space, quote and backslash.
    .regex(/^[\x21\x23-\x5b\x5d-\x7e ]+$/, {
      error: 'is not a list of scopes: set it to names with spaces between, or remove it to use full_user',
    })
    .default('full_user')
    .transform((value) => value.split(/ +/)),
  SERVICE_SIGNATURE: signature.default({ mode: 'observe' }),
  TOKEN_KEYS: tokenKeys.optional(),
  ROLE: oneOf(['web', 'worker', 'all']).default('all'),
  LOG_LEVEL: oneOf(logLevels).default('info'),
  SERVICE_PROJECT_URL: linkTemplate('project'),
  SERVICE_ITEM_URL: linkTemplate('project', 'item'),
  SERVICE_SESSION_URL: linkTemplate('session'),
  SERVICE_DOCUMENT_URL: linkTemplate('session', 'document'),
  METRICS_PORT: wholeNumber(
    1,
    65_535,
    'set it to the port of /metrics, or remove it to turn metrics off',
  ).optional(),
  METRICS_HOST: hostName(
    'set it to an IP address without brackets or port, or remove it to use loopback',
  ).default('127.0.0.1'),
  RETENTION_DAYS: wholeNumber(1, 36_500, 'set it to a number of days, or remove it to use 30').default(30),
});

type Variable = keyof typeof variables.shape;
type Faults = Partial<Record<Variable, string>>;
type Source = Readonly<Record<string, string | undefined>>;

/** The names of all variables that are read. */
export const variableNames = Object.keys(variables.shape) as readonly Variable[];

/**
 * Parses the environment. Trims whitespace around values and treats an empty value as missing. Returns the frozen settings, or everything
 * that is wrong: one line per variable, which starts with its name and says what is wrong and how to fix it. No line quotes a value, since
 * any may be a secret in the wrong place. Never throws.
 */
export function readEnv(
  source: Source,
): { readonly ok: true; readonly env: Env } | { readonly ok: false; readonly faults: string[] } {
  const given = onlyGiven(source);
  const parsed = variables.safeParse(given);
  const faults = faultsBetween(given);
  for (const issue of parsed.error?.issues ?? []) {
    faults[issue.path[0] as Variable] ??= issue.message;
  }
  if (!parsed.success || Object.keys(faults).length > 0) return { ok: false, faults: inOrder(faults) };
  return { ok: true, env: grouped(parsed.data) };
}

function onlyGiven(source: Source): Source {
  return Object.fromEntries(
    variableNames
      .map((name) => [name, source[name]?.trim()])
      .filter(([, value]) => value !== undefined && value !== ''),
  );
}

function inOrder(faults: Faults): string[] {
  return variableNames.flatMap((name) => {
    const fault = faults[name];
    return fault === undefined ? [] : [`${name} ${fault}`];
  });
}

/** What an app for any number of workspaces needs instead of a token, with the words of Slack's page. */
const ofAnyWorkspace = [
  ['SLACK_CLIENT_ID', 'Client ID'],
  ['SLACK_CLIENT_SECRET', 'Client Secret'],
] as const;

/** Finds faults in combinations of variables that are valid on their own. */
function faultsBetween(given: Source): Faults {
  const faults: Faults = {};
  if (given.DATABASE_URL !== undefined && given.TOKEN_KEYS === undefined) {
    // Keys generated on one process's disk would be lost with that disk, and every sealed token with them.
    faults.TOKEN_KEYS = `is missing, and with DATABASE_URL none is generated: ${newKey}`;
  }
  if (given.METRICS_PORT !== undefined && Number(given.METRICS_PORT) === Number(given.PORT ?? defaultPort)) {
    faults.METRICS_PORT = 'is the port of PORT too: set it to another one';
  }
  for (const [name, label] of ofAnyWorkspace) {
    if (given.SLACK_BOT_TOKEN === undefined && given[name] === undefined) {
      faults[name] =
        `is missing: copy the ${label} from Basic Information of the Slack app, or set SLACK_BOT_TOKEN alone for one workspace`;
    }
    if (given.SLACK_BOT_TOKEN !== undefined && given[name] !== undefined) {
      faults.SLACK_BOT_TOKEN =
        'is set beside SLACK_CLIENT_ID or SLACK_CLIENT_SECRET: set the token for one workspace, or the other two for' +
        ' any number of them';
    }
  }
  return faults;
}

/** Whether `pg` can parse a text as a Postgres address. */
function isPostgresAddress(value: string): boolean {
  // libpq and pg accept a user without a host, where the folder of a Unix socket is a parameter.
  const url = /^(postgres(ql)?:\/\/|socket:)/.test(value)
    ? URL.parse(value.replace('@/', '@localhost/'))
    : null;
  if (url === null) return false;
  try {
    // pg decodes these, and if it fails, its error quotes the address including the password.
    decodeURIComponent(`${url.username}${url.password}${url.hostname}${url.pathname}`);
    return true;
  } catch {
    return false;
  }
}

/** All settings, validated and typed. Addresses have no trailing slash, except Slack's (see `slack.apiUrl`). */
export type Env = ReturnType<typeof grouped>;

function grouped(read: z.output<typeof variables>) {
  const botToken = read.SLACK_BOT_TOKEN;
  const access: SlackAccess =
    botToken === undefined
      ? {
          kind: 'installed',
          clientId: read.SLACK_CLIENT_ID ?? '',
          clientSecret: read.SLACK_CLIENT_SECRET ?? '',
        }
      : { kind: 'one workspace', botToken };
  return Object.freeze({
    role: read.ROLE,
    logLevel: read.LOG_LEVEL,
    retentionDays: read.RETENTION_DAYS,
    http: Object.freeze({
      publicUrl: read.PUBLIC_URL,
      /** Undefined: all interfaces, IPv6 and IPv4. */
      host: read.HOST,
      /** 0: any free port. */
      port: read.PORT,
      /** Number of trusted proxies in front of the bot. */
      trustProxy: read.TRUST_PROXY,
    }),
    database: Object.freeze({
      /** Undefined: Postgres embedded in `dataDir`. */
      url: read.DATABASE_URL,
      /** Maximum connections shared by commands, pages and upkeep; those for notifications and lanes come on top. */
      poolSize: read.DATABASE_POOL_SIZE,
      /** Maximum connections of this process in all. */
      connections: read.DATABASE_POOL_SIZE + moreConnections[read.ROLE],
      dataDir: read.DATA_DIR,
      /** Always set if `url` is set; undefined: keys are generated in `dataDir`. */
      tokenKeys: read.TOKEN_KEYS,
    }),
    slack: Object.freeze({
      signingSecret: read.SLACK_SIGNING_SECRET,
      access: Object.freeze(access),
      /** Where an admin installs the bot again, for scopes that it lacks. */
      installUrl:
        access.kind === 'one workspace' ? 'https://api.slack.com/apps' : `${read.PUBLIC_URL}/slack/install`,
      /** With one trailing slash: method names are appended directly. */
      apiUrl: `${read.SLACK_API_URL}/`,
      /** The only origins accepted for a `response_url`. */
      allowedResponseOrigins: Object.freeze([
        ...new Set([slackResponseOrigin, new URL(read.SLACK_API_URL).origin]),
      ]),
      /** How to type each command, for messages that do not answer a typed one. */
      commandNames: Object.freeze(read.SLACK_SUBSCRIBE_COMMAND),
    }),
    service: Object.freeze({
      name: read.SERVICE_NAME,
      baseUrl: read.SERVICE_BASE_URL,
      authUrl: read.SERVICE_AUTH_URL,
      clientId: read.SERVICE_CLIENT_ID,
      clientSecret: read.SERVICE_CLIENT_SECRET,
      scopes: Object.freeze(read.SERVICE_SCOPES),
      signature: read.SERVICE_SIGNATURE,
      /** URL templates for opening things in a browser, by kind; a kind without a template gets no link. */
      links: Object.freeze({
        project: read.SERVICE_PROJECT_URL,
        item: read.SERVICE_ITEM_URL,
        session: read.SERVICE_SESSION_URL,
        document: read.SERVICE_DOCUMENT_URL,
      }),
    }),
    /** Undefined: no metrics are served. */
    metrics:
      read.METRICS_PORT === undefined
        ? undefined
        : Object.freeze({ host: read.METRICS_HOST, port: read.METRICS_PORT }),
  });
}
