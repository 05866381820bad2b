import { setTimeout as wait } from 'node:timers/promises';
import { authorizeAs } from '../../sandbox/service/authorize-as.ts';
import type { PracticeService } from '../../sandbox/service/practice-service.ts';
import type { User } from '../../sandbox/slack/directory.ts';
import { findElements } from '../../sandbox/slack/find-elements.ts';
import type { SlackPerson } from '../../src/core/model/people.ts';
import type { Request } from '../../src/core/model/request.ts';
import { codeOf } from '../../src/lib/error-code.ts';
import { retry } from '../../src/lib/retry.ts';
import { type Answer, makePageBrowsers } from './page-browsers.ts';
import { allPosted } from './settled.ts';
import { setStage } from './stage.ts';

export const minute = 60_000;
export const day = 24 * 60 * minute;

type Options = {
  readonly name: string;
  /** The public URL that the bot is configured with; by default the address it listens on. */
  readonly publicUrl?: string | undefined;
};

export type Linking = Awaited<ReturnType<typeof setUpLinking>>;

/**
 * A stage for links, whose clock stands still. Each test has a Dana of its own, with the same address in Slack and at the service, and a
 * Mallory, whose Slack address does not exist at the service.
 */
export async function setUpLinking({ name, publicUrl: outside }: Options) {
  const logged: string[] = [];
  const stage = await setStage({
    name,
    rateLimit: 'off',
    standsStill: true,
    workspace: { name: 'Acme' },
    env: { SERVICE_NAME: 'Harbour Docs', ...(outside === undefined ? {} : { PUBLIC_URL: outside }) },
    sleep: (milliseconds) => wait(Math.min(milliseconds, 20)),
    onLog: (line) => logged.push(line),
  });
  const { slack, service, teamId, plans } = stage;
  const local = stage.bot.publicUrl;
  const publicUrl = outside ?? local;
  /** Another process of the bot, for what people do in Slack once they have opened a page. */
  const core = await stage.addCore();
  const { linking, links } = core;
  const { pool } = stage.database.connect();

  const newPerson = (word: string): SlackPerson => {
    const { id } = slack.addUser({ teamId, name: word, realName: word, email: `${word}@example.com` });
    plans.members.add(id);
    return { enterpriseId: null, teamId, userId: id };
  };
  let dana = newPerson('dana');
  let mallory = newPerson('mallory');

  const { openBrowser, askLocal, goToService } = makePageBrowsers(publicUrl, local);

  /** Starts a link for a person, who asked for `request` in a channel, and returns the URL behind the Link button. */
  async function offer(person: SlackPerson, request: Request | null = null): Promise<string> {
    const started = await linking.startLink({ person, channelId: plans.id, responseUrl: null, request });
    if (!('url' in started)) throw new Error('the link was not started');
    return started.url;
  }

  const directTexts = ({ userId }: SlackPerson) =>
    slack.directMessages(userId).map((message) => slack.textOf(message).replaceAll('\u200b', ''));

  return {
    stage,
    service,
    slack,
    plans,
    publicUrl,
    core,
    linking,
    links,
    logged,
    get dana() {
      return dana;
    },
    get mallory() {
      return mallory;
    },
    newPerson,
    query: (text: string) => pool.query(text),
    openBrowser,
    askLocal,
    offer,
    goToService,
    advance: stage.advance,

    /** Goes the whole way in one browser, with an account at the service. */
    async link(person: SlackPerson, account: string, request: Request | null = null): Promise<Answer> {
      const browser = openBrowser();
      const consent = await goToService(browser, await offer(person, request));
      return browser.open(await authorizeAs(consent, account));
    },

    /** Changes a person in Slack. */
    async becomes({ userId }: SlackPerson, change: Partial<User>): Promise<void> {
      Object.assign(slack.users.get(userId) ?? {}, change);
      await stage.forgetSlack();
    },

    /** Makes every call to Slack fail, and the bot forget what Slack said before. */
    async slackGoesDown() {
      await stage.forgetSlack();
      return slack.fault({ status: 503, times: Number.POSITIVE_INFINITY });
    },

    /** Returns what a person was sent about links, without answers to the command that waited, once nothing waits to be sent. */
    async messages(person: SlackPerson): Promise<string[]> {
      await allPosted(stage);
      return directTexts(person).filter((text) => !/This channel has/.test(text));
    },
    /** Returns what asked a person to link again, once nothing waits to be sent. */
    async relinkRequests(person: SlackPerson): Promise<string[]> {
      await allPosted(stage);
      return directTexts(person).filter((text) => text.includes('stopped working'));
    },
    /** Returns the answers to lists that waited for a link. */
    lists: (person: SlackPerson) => directTexts(person).filter((text) => /This channel has/.test(text)),
    /** Returns the URL behind the Link button of the newest direct message. */
    newestLink({ userId }: SlackPerson): string {
      const found = findElements(slack.directMessages(userId).at(-1)?.blocks);
      const url = found.map(({ element }) => String(element.url)).find((each) => each.includes('/link/'));
      if (url === undefined) throw new Error('the newest message has no link');
      return url;
    },

    /** Counts the stored links and tokens, in all tables that can hold them. */
    async stored(): Promise<{ links: number; tokens: number }> {
      const { rows } = await pool.query<{ links: number; tokens: number }>(
        `select (select count(*)::int from plancast.links) as links,
           (select (count(sealed_access_token) + count(sealed_refresh_token))::int from plancast.links)
           + (select (count(sealed_access_token) + count(sealed_refresh_token))::int from plancast.link_attempts) as tokens`,
      );
      return rows[0] ?? { links: 0, tokens: 0 };
    },

    /** Returns everything in the two tables as text, to search for what must not be there. */
    async dump(): Promise<string> {
      const { rows } = await pool.query<{ line: string }>(
        `select row_to_json(l)::text as line from plancast.links l
         union all select row_to_json(a)::text from plancast.link_attempts a`,
      );
      return rows.map(({ line }) => line).join('\n');
    },

    /** Returns what the bots logged that they could not do. */
    failures: () =>
      logged.flatMap((line) => {
        const [, what] = /^could not (.*)$/.exec(JSON.parse(line).msg) ?? [];
        return what === undefined ? [] : [what];
      }),

    /** Forgets what happened so far; the clock keeps its time. */
    async reset(): Promise<void> {
      slack.clearFaults();
      service.faults.clear();
      service.log.clear();
      logged.length = 0;
      // What follows a link may still be running, and Postgres ends one of two that wait for each other.
      await retry(
        async () => void (await pool.query('delete from plancast.link_attempts; delete from plancast.links')),
        { waits: { first: 10, most: 100 }, shouldRetry: (error) => codeOf(error) === '40P01', sleep: wait },
      );
      dana = newPerson('dana');
      mallory = newPerson('mallory');
    },
  };
}

/** Counts how many codes the service has exchanged for tokens. */
export function exchanges(service: PracticeService): number {
  return service.log.of('token').filter(({ grant }) => grant === 'authorization_code').length;
}

/** Returns the code on a page, as a person reads it. */
export function codeOn(page: Answer): string {
  const code = /<span aria-hidden="true">([A-Z2-9]{6})<\/span>/.exec(page.text)?.[1];
  if (code === undefined) throw new Error(`there is no code on this page (${page.status}): ${page.text}`);
  return code;
}

/** Returns the heading of a page. */
export function headingOf(page: Answer): string {
  return /<h1>(.*?)<\/h1>/.exec(page.text)?.[1] ?? '';
}
