import { expect } from 'vitest';
import { authorizeAs } from '../../sandbox/service/authorize-as.ts';
import { type PracticeService, startPracticeService } from '../../sandbox/service/practice-service.ts';
import type { Seed } from '../../sandbox/service/seed.ts';
import type { NewWorkspace } from '../../sandbox/slack/directory.ts';
import { type PracticeSlack, startPracticeSlack } from '../../sandbox/slack/practice-slack.ts';
import { type BotSettings, startBot, startCore, type TestBot, type TestCore, testTokenKeys } from './bot.ts';
import { type ChildBot, freePort, startChildBot } from './child-bot.ts';
import { leaksInto, namesIn, secretsOf } from './leaks.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from './postgres.ts';
import { skipPauses } from './skip-pauses.ts';

const signingSecret = 'practice-signing-secret';
const serviceClient = { clientId: 'plancast', clientSecret: 'practice-client-secret' };

export type StageOptions = {
  readonly name: string;
  /** An existing database; a fresh one by default. */
  readonly database?: TestDatabase | undefined;
  /** Starts with an empty database, whose tables the first bot creates. */
  readonly emptyDatabase?: boolean | undefined;
  /** Whether the bot runs in this process; true by default. Otherwise `startChild` starts one. */
  readonly bot?: boolean | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly rateLimit?: PracticeSlack['rateLimit'] | undefined;
  /** Lets the second between two posts in a channel pass at once, on the stage's clock. Not for tests of the pace itself. */
  readonly skipsPauses?: boolean | undefined;
  /** Lets the stage's clock stand still unless it is advanced. Not for tests that wait for several messages in a channel. */
  readonly standsStill?: boolean | undefined;
  /** How the bots wait between two checks of links; in real time by default. */
  readonly sleep?: BotSettings['sleep'];
  /** The hosts whose links the bot is sent. */
  readonly unfurlDomains?: readonly string[] | undefined;
  /** Further properties of the workspace, such as its organization. */
  readonly workspace?: NewWorkspace | undefined;
  /** What the service has, and whose; a few people with three projects by default. */
  readonly seed?: Seed | undefined;
  /** Receives each line of the bots' logs. */
  readonly onLog?: ((line: string) => void) | undefined;
};

/** A workspace, a service, a database and the real bot between them. */
export type Stage = Awaited<ReturnType<typeof setStage>>;

/** Sets everything up on loopback. Dana and Sam have the same address in Slack and at the service, Ravi does not. */
export async function setStage({
  name,
  database: given,
  emptyDatabase: startsEmpty = false,
  bot: inProcess = true,
  env = {},
  rateLimit = 'record',
  skipsPauses = false,
  standsStill = false,
  sleep,
  unfurlDomains,
  workspace: moreOfWorkspace = {},
  seed,
  onLog,
}: StageOptions) {
  const database: TestDatabase = given ?? (await (startsEmpty ? emptyDatabase(name) : freshDatabase(name)));
  let ahead = 0;
  const advance = (milliseconds: number) => {
    ahead += milliseconds;
  };
  const start = Date.now();
  const now = () => new Date((standsStill ? start : Date.now()) + ahead);
  const slack = await startPracticeSlack({
    signingSecret,
    now: () => now().getTime(),
    // Each post in any channel may move the stage's clock on, while the bot opens a form.
    triggersNow: Date.now,
    rateLimit,
    unfurlDomains,
  });
  const workspace = slack.addWorkspace({
    name: 'Northwind Studio',
    botToken: 'xoxb-stage',
    ...moreOfWorkspace,
  });
  const { teamId } = workspace;
  const person = (realName: string, email: string) =>
    slack.addUser({ teamId, realName, name: realName, email });
  const dana = person('Dana Reyes', 'dana@example.com');
  const sam = person('Sam Okafor', 'sam@example.com');
  const ravi = person('Ravi Menon', 'ravi.menon@elsewhere.example');
  const guest = slack.addUser({ teamId, realName: 'Gina Guest', isRestricted: true });
  const everybody = [dana, sam, ravi, guest];
  const plans = slack.addChannel({ name: 'plans', members: everybody });
  const secret = slack.addChannel({ name: 'secret', kind: 'private', members: everybody, botIn: false });

  const bots: TestBot[] = [];
  const cores: TestCore[] = [];
  const children: ChildBot[] = [];
  const logged: string[] = [];
  const redirectUris: string[] = [];
  const service: PracticeService = await startPracticeService({
    ...serviceClient,
    redirectUris,
    now: () => now().getTime(),
    seed,
  });

  const settingsOf = (more: Partial<BotSettings>): BotSettings => ({
    databaseUrl: database.url,
    slackApiUrl: slack.apiUrl,
    signingSecret,
    botToken: 'xoxb-stage',
    serviceBaseUrl: service.baseUrl,
    serviceAuthUrl: service.authUrl,
    serviceClientId: serviceClient.clientId,
    serviceClientSecret: serviceClient.clientSecret,
    now,
    sleep,
    ...more,
    onLog: (line) => {
      logged.push(line);
      (more.onLog ?? onLog)?.(line);
    },
    // A bot with another public URL would stand by.
    env: { ...(bots[0] ? { PUBLIC_URL: bots[0].publicUrl } : {}), ...env, ...more.env },
  });

  async function addBot(more: Partial<BotSettings> = {}): Promise<TestBot> {
    const bot = await startBot({
      ...settingsOf(more),
      onAddress: (url) => {
        redirectUris.push(`${'PUBLIC_URL' in env ? env.PUBLIC_URL : url}/oauth/callback`);
        more.onAddress?.(url);
      },
    });
    bots.push(bot);
    slack.botRequestUrl = `${bot.publicUrl}/slack/events`;
    return bot;
  }
  if (inProcess) await addBot();

  /** Adds another process of the bot at the first one's address, without HTTP, lanes and schedules; see `startCore`. */
  async function addCore(more: Partial<BotSettings> = {}): Promise<TestCore> {
    const core = await startCore(settingsOf(more));
    cores.push(core);
    return core;
  }
  const stopSkipping = skipsPauses ? skipPauses({ slack, database, advance }) : () => undefined;

  /** Starts the bot in a process of its own, on this stage's database, at its first bot's address, and with the machine's clock. */
  async function startChild(
    options: {
      port?: number;
      env?: Readonly<Record<string, string>>;
      entry?: string | undefined;
      answers?: '/readyz' | '/healthz' | undefined;
      flags?: readonly string[] | undefined;
    } = {},
  ): Promise<ChildBot> {
    const port = options.port ?? (await freePort());
    const [first] = [...bots, ...children];
    redirectUris.push(`http://127.0.0.1:${port}/oauth/callback`);
    const child = await startChildBot(
      {
        ...(first ? { PUBLIC_URL: first.publicUrl } : {}),
        DATABASE_URL: database.url,
        TOKEN_KEYS: testTokenKeys,
        SLACK_SIGNING_SECRET: signingSecret,
        SLACK_BOT_TOKEN: 'xoxb-stage',
        SLACK_API_URL: slack.apiUrl,
        SERVICE_BASE_URL: service.baseUrl,
        SERVICE_AUTH_URL: service.authUrl,
        SERVICE_CLIENT_ID: serviceClient.clientId,
        SERVICE_CLIENT_SECRET: serviceClient.clientSecret,
        ...env,
        ...options.env,
      },
      port,
      options.entry,
      options.answers,
      options.flags,
    );
    children.push(child);
    slack.botRequestUrl = `${child.publicUrl}/slack/events`;
    return child;
  }

  return {
    /** The bot that runs in this process. */
    get bot(): TestBot {
      const [first] = bots;
      if (!first) throw new Error('this stage has no bot in this process');
      return first;
    },
    addBot,
    addCore,
    /** The settings of one more process of the bot. */
    settingsOf,
    startChild,
    database,
    slack,
    service,
    workspace,
    teamId,
    dana,
    sam,
    ravi,
    guest,
    plans,
    secret,
    signingSecret,
    now,
    /** Forgets what the bot remembers of Slack's answers, which it does by itself after some minutes of the machine's clock. */
    forgetSlack: async () => void (await database.connect().pool.query('delete from plancast.keyv')),
    /** Checks every link at the service, as if each were due and Slack had not been asked for a day who its person is. */
    async checkLinks(): Promise<void> {
      const { pool } = database.connect();
      const running = async () =>
        (await pool.query('select from plancast.links where checking_until > $1', [now()])).rowCount;
      // A check that has begun may know an earlier state.
      await expect.poll(running, { timeout: 20_000 }).toBe(0);
      await pool.query(`update plancast.links set check_at = now() - interval '1 hour', standing_at = null`);
      for (const chore of ['check-links', 'tidy-links']) await bots[0]?.runChore(chore);
      await expect.poll(running, { timeout: 20_000 }).toBe(0);
    },
    /** Advances every clock except those of the operating system. */
    advance,
    /** Types a command as a person would. */
    type: (user: typeof dana, line: string, channel = plans) => {
      const [command = '', ...words] = line.split(' ');
      return slack.command({ user, channel, command, text: words.join(' '), typed: true });
    },
    /** Links a person as people do: by command, page and sign-in, with the same address on both sides. */
    async link(user: typeof dana, email: string, channel = plans): Promise<void> {
      const before = new Set(slack.ephemerals(user).map(({ id }) => id));
      const messagesBefore = slack.directMessages(user).length;
      await slack.command({ user, channel, command: '/plancast', text: 'link' });
      const offer = await slack.waitForEphemeral(
        user,
        ({ id, text }) => !before.has(id) && text.includes('Link'),
      );
      await linkInBrowser(String(slack.button(offer, 'Link').element.url), email, 'allow');
      await slack.waitForDirectMessage(user, () => slack.directMessages(user).length > messagesBefore);
    },
    /** Opens the Link button's page in a new browser, and signs in at the service. Returns the text of the last page. */
    linkInBrowser: (url: string, email: string, decision: 'allow' | 'deny' = 'allow') =>
      linkInBrowser(url, email, decision),
    /** Stops everything. Throws if a bot's log contains a secret, an email, a name or a path, in every test. */
    async close(): Promise<void> {
      stopSkipping();
      await Promise.all(children.map((child) => child.end('SIGKILL')));
      await Promise.all([...bots, ...cores].map((each) => each.stop().catch(() => {})));
      // A test may have stopped the server or emptied the database.
      const names = await namesIn(database).catch(() => []);
      await service.close();
      await slack.close();
      await database.drop();
      const log = [...logged, ...children.map(({ output }) => output())].join('');
      const leaks = leaksInto(log, [...secretsOf(slack, service), ...names]);
      if (leaks.length > 0) throw new Error(`in the log of a bot: ${leaks.join(', ')}`);
    },
  };
}

/** Does what a browser does to link: the page, its form with the cookie, the service, and back. */
async function linkInBrowser(url: string, email: string, decision: 'allow' | 'deny'): Promise<string> {
  const page = await fetch(url);
  if (!page.ok) throw new Error(`the link page answered ${page.status}: ${await page.text()}`);
  const sent = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: new URL(url).origin, 'content-type': 'application/x-www-form-urlencoded' },
  });
  const authorize = sent.headers.get('location');
  if (sent.status !== 303 || authorize === null)
    throw new Error(`the form answered ${sent.status}: ${await sent.text()}`);
  const cookie = sent.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const back = await authorizeAs(authorize, email, decision);
  const last = await fetch(back, { headers: { cookie } });
  return last.text();
}
