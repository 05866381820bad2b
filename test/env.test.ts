import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultNames } from '../src/core/model/verbs.ts';
import { readEnv } from '../src/env.ts';
import { leastSettings } from './support/least-settings.ts';

const key = Buffer.alloc(32, 7).toString('base64');

/** Returns the settings read from the minimum plus these variables. */
function settingsWith(source: Record<string, string | undefined>) {
  const read = readEnv({ ...leastSettings, ...source });
  if (!read.ok) {
    throw new Error(read.faults.join('\n'));
  }
  return read.env;
}

/** Returns the lines an admin reads for the minimum plus these variables. */
function faultsWith(source: Record<string, string | undefined>) {
  const read = readEnv({ ...leastSettings, ...source });
  return read.ok ? [] : read.faults;
}

test('setting only what has no default gives every default', () => {
  expect(settingsWith({})).toEqual({
    role: 'all',
    logLevel: 'info',
    retentionDays: 30,
    http: { publicUrl: 'https://bot.example.com', host: undefined, port: 3000, trustProxy: 0 },
    database: { url: undefined, poolSize: 10, connections: 19, dataDir: '.data', tokenKeys: undefined },
    slack: {
      installUrl: 'https://bot.example.com/slack/install',
      signingSecret: 'signing-secret',
      access: { kind: 'installed', clientId: '1.2', clientSecret: 'client-secret' },
      apiUrl: 'https://slack.com/api/',
      allowedResponseOrigins: ['https://hooks.slack.com', 'https://slack.com'],
      commandNames: defaultNames,
    },
    service: {
      name: 'the collaboration service',
      baseUrl: 'https://service.example.com/v1',
      authUrl: 'https://auth.example.com',
      clientId: 'app',
      clientSecret: 'app-secret',
      scopes: ['full_user'],
      signature: { mode: 'observe' },
      links: { project: undefined, item: undefined, session: undefined, document: undefined },
    },
    metrics: undefined,
  });
});

test('every setting arrives where it belongs', () => {
  const env = settingsWith({
    HOST: '::1',
    PORT: '8080',
    TRUST_PROXY: '2',
    DATABASE_URL: 'postgres://plancast:p%40ss@db.example.com:5432/plancast',
    DATA_DIR: '/var/lib/plancast',
    SLACK_CLIENT_ID: undefined,
    SLACK_CLIENT_SECRET: undefined,
    SLACK_BOT_TOKEN: 'xoxb-1',
    SLACK_API_URL: 'http://127.0.0.1:4000/api',
    SLACK_SUBSCRIBE_COMMAND: '/studio-subscribe',
    SERVICE_NAME: 'Planbox',
    SERVICE_SCOPES: 'full_user  jobs',
    SERVICE_SIGNATURE: 'enforce:X-Signature:sha256-base64-text',
    TOKEN_KEYS: `new:${key},old:${key}`,
    ROLE: 'worker',
    LOG_LEVEL: 'debug',
    METRICS_PORT: '9090',
    METRICS_HOST: '0.0.0.0',
    RETENTION_DAYS: '90',
    DATABASE_POOL_SIZE: '25',
  });

  expect(env.http).toEqual({ publicUrl: 'https://bot.example.com', host: '::1', port: 8080, trustProxy: 2 });
  expect(env.database.url).toBe('postgres://plancast:p%40ss@db.example.com:5432/plancast');
  expect([env.database.poolSize, env.database.connections]).toEqual([25, 32]);
  expect(env.database.dataDir).toBe('/var/lib/plancast');
  expect(env.database.tokenKeys?.map(({ id }) => id)).toEqual(['new', 'old']);
  expect(env.slack.access).toEqual({ kind: 'one workspace', botToken: 'xoxb-1' });
  expect(env.slack.apiUrl).toBe('http://127.0.0.1:4000/api/');
  expect(env.slack.allowedResponseOrigins).toEqual(['https://hooks.slack.com', 'http://127.0.0.1:4000']);
  expect(env.slack.commandNames.unsubscribe).toBe('/studio-unsubscribe');
  expect(env.service.name).toBe('Planbox');
  expect(env.service.scopes).toEqual(['full_user', 'jobs']);
  expect(env.service.signature).toEqual({
    mode: 'enforce',
    header: 'x-signature',
    scheme: { encoding: 'base64', keyAsText: true },
  });
  expect([env.role, env.logLevel, env.retentionDays]).toEqual(['worker', 'debug', 90]);
  expect(env.metrics).toEqual({ host: '0.0.0.0', port: 9090 });
});

test('an empty value, or only spaces, counts as missing', () => {
  const empty = Object.fromEntries(
    Object.keys(leastSettings).map((name, place) => [name, ' '.repeat(place % 2)]),
  );

  expect(readEnv(empty)).toEqual(readEnv({}));
  expect(settingsWith({ PORT: '', ROLE: ' ', TOKEN_KEYS: '', SLACK_BOT_TOKEN: '' })).toEqual(
    settingsWith({}),
  );
});

test('several faults are reported at once, one line each, in the order of the table', () => {
  const read = readEnv({
    ...leastSettings,
    PUBLIC_URL: undefined,
    PORT: 'x',
    ROLE: 'boss',
    SERVICE_AUTH_URL: 'ftp://a',
  });

  expect(read).toEqual({
    ok: false,
    faults: [
      'PUBLIC_URL is missing: set it to the https address under which Slack, browsers and the service reach the bot',
      'PORT is not a whole number: set it to the port to listen on, or remove it to use 3000',
      'SERVICE_AUTH_URL is not an https address: set it to the https address of the authorization server of the service',
      'ROLE has an unknown value: set it to web, worker or all',
    ],
  });
});

test.each([
  'https://bot.example.com',
  'https://bot.example.com/',
  'https://bot.example.com///',
  'HTTPS://BOT.example.com',
  ' https://bot.example.com\n',
])('the address %j is the same address', (address) => {
  expect(settingsWith({ PUBLIC_URL: address }).http.publicUrl).toBe('https://bot.example.com');
});

test('an address can have a path', () => {
  expect(settingsWith({ PUBLIC_URL: 'https://example.com/bots/plancast/' }).http.publicUrl).toBe(
    'https://example.com/bots/plancast',
  );
});

test.each(['http://127.0.0.1:3000', 'http://127.9.8.7', 'http://[::1]:3000', 'http://localhost:3000'])(
  '%s is accepted, because http does not leave the machine there',
  (address) => {
    expect(settingsWith({ PUBLIC_URL: address }).http.publicUrl).toBe(address);
  },
);

test.each([
  'http://bot.example.com',
  'http://127.0.0.1.example.com',
  'http://localhost.example.com',
  'http://127.0.0.1@bot.example.com',
  'http://128.0.0.1',
  'http://0.0.0.0',
  'http://[::]',
  'http://[::ffff:127.0.0.1]',
  'https://user:word@bot.example.com',
  'https://bot.example.com/?a=b',
  'https://bot.example.com/?',
  'https://bot.example.com/#',
  'ftp://bot.example.com',
  'bot.example.com',
  'bot.example.com:3000',
  'https://',
  'https://bot.exam\tple.com',
  'a word',
])('%s is refused as an address by every setting that expects one', (address) => {
  const names = ['PUBLIC_URL', 'SLACK_API_URL', 'SERVICE_BASE_URL', 'SERVICE_AUTH_URL'];
  const faults = faultsWith(Object.fromEntries(names.map((name) => [name, address])));

  expect(faults.map((fault) => fault.split(' ')[0])).toEqual(names);
});

test.each([
  [{ SLACK_CLIENT_ID: '', SLACK_CLIENT_SECRET: '' }, ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET']],
  [{ SLACK_CLIENT_SECRET: '' }, ['SLACK_CLIENT_SECRET']],
  [{ SLACK_CLIENT_ID: '' }, ['SLACK_CLIENT_ID']],
  [{ SLACK_BOT_TOKEN: 'xoxb-1' }, ['SLACK_BOT_TOKEN']],
  [{ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_CLIENT_ID: '' }, ['SLACK_BOT_TOKEN']],
  [{ SLACK_BOT_TOKEN: 'xoxp-1', SLACK_CLIENT_ID: '', SLACK_CLIENT_SECRET: '' }, ['SLACK_BOT_TOKEN']],
  [{ SLACK_BOT_TOKEN: 'xapp-1', SLACK_CLIENT_ID: '', SLACK_CLIENT_SECRET: '' }, ['SLACK_BOT_TOKEN']],
])('there is exactly one way into Slack: %j', (source, names) => {
  expect(faultsWith(source).map((fault) => fault.split(' ')[0])).toEqual(names);
});

test.each(['studio-', 'studio-subscribe', '/studio-unsubscribe', '/plancast', '/subscribe project'])(
  '%s is refused as the subscribe command, with the forms that it can have',
  (SLACK_SUBSCRIBE_COMMAND) => {
    expect(faultsWith({ SLACK_SUBSCRIBE_COMMAND })).toEqual([
      expect.stringMatching(
        /^SLACK_SUBSCRIBE_COMMAND is .*: set it to \/studio-subscribe .*\/plancast subscribe/,
      ),
    ]);
  },
);

test('keys must be set unless the database is embedded', () => {
  const DATABASE_URL = 'postgres://db.example.com/plancast';

  expect(faultsWith({ DATABASE_URL })).toEqual([
    'TOKEN_KEYS is missing, and with DATABASE_URL none is generated: `npm run keys -- new` makes one',
  ]);
  expect(faultsWith({ DATABASE_URL, TOKEN_KEYS: `a:${key}` })).toEqual([]);
  expect(faultsWith({ TOKEN_KEYS: `a:${key}` })).toEqual([]);
});

test('a malformed key is named by its position, never by its value', () => {
  expect(faultsWith({ TOKEN_KEYS: `a:${key},b:aHVudGVyMg==` })).toEqual([
    'TOKEN_KEYS is malformed. Key 2 has 7 bytes where 32 are needed. Set it to id:base64-of-32-bytes,' +
      ' several with commas between: `npm run keys -- new` makes one',
  ]);
});

test.each([
  ['HOST', 'http://0.0.0.0'],
  ['HOST', '127.0.0.1:3000'],
  ['HOST', '[::1]'],
  ['HOST', '*'],
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PORT', '3000.5'],
  ['PORT', '0x10'],
  ['PORT', '1e3'],
  ['TRUST_PROXY', 'true'],
  ['TRUST_PROXY', '-1'],
  ['DATABASE_URL', 'mysql://db.example.com/plancast'],
  ['DATABASE_URL', 'postgres://plancast:100%@db.example.com/plancast'],
  ['DATABASE_URL', 'db.example.com'],
  ['SLACK_SIGNING_SECRET', 'two\nlines'],
  ['SERVICE_NAME', 'two\u0000lines'],
  ['SERVICE_NAME', 'x'.repeat(81)],
  ['SERVICE_SCOPES', 'full_user,"jobs"'],
  ['SERVICE_SIGNATURE', 'enforce'],
  ['SERVICE_SIGNATURE', 'enforce:x-signature:sha1-hex'],
  ['SERVICE_SIGNATURE', 'enforce::key'],
  ['TOKEN_KEYS', key],
  ['TOKEN_KEYS', `a:${key},a:${key}`],
  ['ROLE', 'web,worker'],
  ['LOG_LEVEL', 'verbose'],
  ['METRICS_PORT', '0'],
  ['METRICS_PORT', '3000'],
  ['METRICS_HOST', 'localhost:9090'],
  ['DATABASE_POOL_SIZE', 'many'],
  ['DATABASE_POOL_SIZE', '4'],
  ['DATABASE_POOL_SIZE', '201'],
  ['RETENTION_DAYS', '0'],
  ['RETENTION_DAYS', '1.5'],
])('%s is refused: %j', (name, value) => {
  const faults = faultsWith({ TOKEN_KEYS: `a:${key}`, [name]: value });

  expect(faults.map((fault) => fault.split(' ')[0])).toEqual([name]);
});

test('errors never quote the value that was set, and each is a single line', () => {
  const names = [
    ...Object.keys(leastSettings),
    'DATABASE_URL',
    'TOKEN_KEYS',
    'SLACK_BOT_TOKEN',
    'PORT',
    'SERVICE_SIGNATURE',
  ];
  const source = fc.dictionary(
    fc.constantFrom(...names),
    fc.string().map((value) => `hunter2${value}hunter2`),
  );

  fc.assert(
    fc.property(source, (set) => {
      const read = readEnv(set);
      const lines = read.ok ? [] : read.faults;
      expect(lines.length).toBeGreaterThan(0);
      expect(
        lines.filter(
          (line) => !/^[A-Z_]+ is .{10,}$|^[A-Z_]+ has .{10,}$|^[A-Z_]+ carries .{10,}$/.test(line),
        ),
      ).toEqual([]);
      expect(lines.join('\n')).not.toContain('hunter2');
    }),
  );
});

test('settings cannot be changed once they are read', () => {
  const env = settingsWith({ METRICS_PORT: '9090' });
  const groups = [
    env,
    env.http,
    env.database,
    env.slack,
    env.slack.access,
    env.service,
    env.service.scopes,
    env.metrics,
  ];

  expect(groups.every((group) => Object.isFrozen(group))).toBe(true);
});

test('addresses to link to are https, or http on a loopback host, with placeholders that can be filled', () => {
  const item = 'https://plans.example/{project}/items/{item}?tab=1';
  expect(settingsWith({ SERVICE_ITEM_URL: item }).service.links.item).toBe(item);
  const local = 'http://127.0.0.1:4000/#/projects/{project}';
  expect(settingsWith({ SERVICE_PROJECT_URL: local }).service.links.project).toBe(local);
  const faults = [
    { SERVICE_PROJECT_URL: 'https://plans.example/{item}' },
    { SERVICE_ITEM_URL: 'https://plans.example/{file}' },
    { SERVICE_SESSION_URL: 'http://plans.example/{session}' },
    { SERVICE_DOCUMENT_URL: 'javascript:{document}' },
  ].flatMap(faultsWith);
  expect(faults.map((fault) => fault.split(':')[0])).toEqual([
    'SERVICE_PROJECT_URL has an unknown placeholder',
    'SERVICE_ITEM_URL has an unknown placeholder',
    'SERVICE_SESSION_URL is not an https address',
    'SERVICE_DOCUMENT_URL is not an https address',
  ]);
});
