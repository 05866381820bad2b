import type { Channel, NewWorkspace, User } from '../../sandbox/slack/directory.ts';
import type { Stage } from './stage.ts';

/** The settings of a bot that is installed by OAuth, and has no token of its own. */
export const installedEnv = {
  SLACK_BOT_TOKEN: '',
  SLACK_CLIENT_ID: 'practice-client-id',
  SLACK_CLIENT_SECRET: 'practice-client-secret',
  TRUST_PROXY: '1',
};

/** A workspace with its own people, into which the bot can be installed. */
export type Tenant = Awaited<ReturnType<ReturnType<typeof makeTenants>['tenant']>>;

/** Makes workspaces in addition to the stage's own. */
export function makeTenants(stage: () => Stage) {
  let addresses = 0;

  /** Installs the bot as an admin's browser does. The bot limits installations by address, and each admin has another one. */
  async function install(admin: User): Promise<void> {
    const { bot, slack } = stage();
    const asked = await fetch(`${bot.publicUrl}/slack/install`, {
      redirect: 'manual',
      headers: { 'x-forwarded-for': `198.51.100.${++addresses % 256}` },
    });
    const cookie = asked.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    if (asked.status >= 400)
      throw new Error(`the install page answered ${asked.status}: ${await asked.text()}`);
    const back = slack.allowInstall(asked.headers.get('location') ?? '', { user: admin });
    const done = await fetch(back, { headers: { cookie }, redirect: 'manual' });
    if (done.status >= 400) throw new Error(`the install answered ${done.status}: ${await done.text()}`);
  }

  return {
    /** Makes a workspace that has not installed the bot yet. */
    tenant(name: string, more: NewWorkspace = {}) {
      const { slack } = stage();
      const workspace = slack.addWorkspace({ name, botScopes: [], tokenRefusal: 'invalid_auth', ...more });
      const { teamId } = workspace;
      const dana = slack.addUser({
        teamId,
        realName: `Dana ${name}`,
        email: 'dana@example.com',
        isAdmin: true,
      });
      const sam = slack.addUser({ teamId, realName: `Sam ${name}`, email: 'sam@example.com' });
      const newChannel = (channel: string) =>
        slack.addChannel({ name: channel, teamIds: [teamId], members: [dana, sam] });
      return {
        teamId,
        workspace,
        dana,
        sam,
        channel: newChannel(`${name.toLowerCase()}-plans`),
        newChannel,
        install: () => install(dana),
      };
    },

    /** Subscribes a channel in a person's name, and returns the callback URL. */
    async follow(user: User, channel: Channel, target: string): Promise<string> {
      const { service, slack } = stage();
      const before = new Set(service.subscriptions.all().map(({ uri }) => uri));
      await stage().type(user, `/subscribe ${target}`, channel);
      await slack.waitForMessage(channel, target);
      const uri = service.subscriptions.all().find((record) => !before.has(record.uri))?.uri;
      if (uri === undefined) throw new Error('nothing was subscribed');
      return uri;
    },

    /** Counts the rows of each table that contain any of these words; tables without such rows are missing. */
    async rowsNaming(words: readonly string[]): Promise<Record<string, number>> {
      const { pool } = stage().database.connect();
      const { rows: tables } = await pool.query<{ name: string }>(
        `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
         where table_schema in ('plancast', 'plancast_chores') and table_type = 'BASE TABLE'`,
      );
      const found: Record<string, number> = {};
      for (const { name } of tables) {
        const { rows } = await pool.query<{ count: number }>(
          `select count(*)::int as count from ${name} t
           where exists (select from unnest($1::text[]) word where position(word in t::text) > 0)`,
          [words],
        );
        if (rows[0]?.count) found[name] = rows[0].count;
      }
      return found;
    },
  };
}
