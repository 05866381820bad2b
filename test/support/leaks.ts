import type { PracticeService } from '../../sandbox/service/practice-service.ts';
import type { PracticeSlack } from '../../sandbox/slack/practice-slack.ts';
import type { TestDatabase } from './postgres.ts';

/** How many names are checked; of a burst of 10,000 files, a sample is enough. */
const mostNames = 300;

/** Returns every token, code, Key, callback token and secret made on a stage, and the emails and names of its people. */
export function secretsOf(slack: PracticeSlack, service: PracticeService): string[] {
  const { signingSecret, clientSecret } = slack.app;
  // The practice Slack names people without a real name by their id, which the log may contain.
  const people = [...slack.users.values()].filter(({ id, isBot, realName }) => !isBot && realName !== id);
  return [
    signingSecret,
    clientSecret,
    ...[...slack.workspaces.values()].flatMap(({ botToken, rotation }) => [
      botToken,
      ...(rotation ? [rotation.refreshToken, ...rotation.tokens.map(({ token }) => token)] : []),
    ]),
    ...service.secrets(),
    ...service.subscriptions.all().map(({ uri }) => URL.parse(uri)?.pathname.split('/').at(-1) ?? ''),
    ...people.flatMap(({ email = '', realName }) => [email, realName]),
  ];
}

/** Returns a sample of the emails, names and paths that the bots of a stage have stored: of items, projects, sessions and accounts. */
export async function namesIn({ connect }: TestDatabase): Promise<string[]> {
  const { rows } = await connect().pool.query<{ text: string }>(
    `select text from (
       select distinct text from (
         select unnest(array[notification->>'name', notification->>'path', notification->>'actorEmail']) as text
           from plancast.events
         union all select unnest(array[name, path]) from plancast.items
         union all select account from plancast.links
         union all select unnest(array[resource_name, typed_name]) from plancast.subscriptions) as stored
       where text is not null) as named
     order by random() limit $1`,
    [mostNames],
  );
  return rows.map(({ text }) => text);
}

/**
 * Returns those of `texts` that appear in a log. Skips texts under five characters, and plain words or numbers, which the log can have from
 * elsewhere.
 */
export function leaksInto(log: string, texts: readonly string[]): string[] {
  const unusual = [...new Set(texts)].filter(
    (text) => text.length > 4 && !/^(?:[a-z]+|[\d.:-]+)$/.test(text),
  );
  return unusual.filter((text) => log.includes(text) || log.includes(JSON.stringify(text).slice(1, -1)));
}
