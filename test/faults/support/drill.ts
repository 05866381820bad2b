import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { textOf } from '../../../sandbox/slack/messages.ts';
import { environment, runCommand } from '../../commands/run-command.ts';
import { freePort } from '../../support/child-bot.ts';
import { followed } from '../../support/followed.ts';
import { emptyDatabase } from '../../support/postgres.ts';
import { setStage } from '../../support/stage.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

export type Drill = Awaited<ReturnType<typeof setDrill>>;

/**
 * Production, followed by three channels, and beside it a bot on a restored backup, started at an address of its own, which reaches the
 * service through a proxy that counts its connections.
 */
export async function setDrill(name: string) {
  const stage = await setStage({ name, bot: false });
  const copyDatabase = await emptyDatabase(`${name} copy`);
  const folder = await mkdtemp(join(tmpdir(), 'plancast-drill-'));
  const proxy = await startTcpProxy({ port: Number(new URL(stage.service.baseUrl).port) });
  const { slack, service, dana } = stage;
  const close = async (): Promise<void> => {
    await stage.close();
    await copyDatabase.drop();
    await proxy.close();
    await rm(folder, { recursive: true });
  };

  const production = await stage.startChild();
  await stage.link(dana, 'dana@example.com');
  const [one, two, three] = ['one', 'two', 'three'].map((each) => `drill-${each}`);
  const channels = [
    (await followed(stage, one)).channel,
    (await followed(stage, two)).channel,
    (await followed(stage, three)).channel,
  ];

  const port = await freePort();
  const through = (url: string) => url.replace(/:\d+/, `:${proxy.port}`);
  const settings = (databaseUrl: string, publicUrl: string) => ({
    ...environment,
    DATABASE_URL: databaseUrl,
    PUBLIC_URL: publicUrl,
    SLACK_SIGNING_SECRET: stage.signingSecret,
    SLACK_BOT_TOKEN: 'xoxb-stage',
    SLACK_API_URL: slack.apiUrl,
    SERVICE_BASE_URL: through(service.baseUrl),
    SERVICE_AUTH_URL: through(service.authUrl),
    SERVICE_CLIENT_SECRET: 'practice-client-secret',
  });
  const ofProduction = settings(stage.database.url, production.publicUrl);
  const ofCopy = settings(copyDatabase.url, `http://127.0.0.1:${port}`);
  const file = join(folder, 'backup.sql.gz');
  const run = (command: string, args: readonly string[], env: Record<string, string>) =>
    runCommand(`src/commands/${command}.ts`, args, env);

  let changes = 0;
  return {
    stage,
    production,
    channels,
    close,
    run,
    ofProduction,
    ofCopy,
    /** Makes a backup of production and restores it; returns what the restore printed. */
    async restore(): Promise<string> {
      await run('backup', [file], ofProduction);
      return (await run('restore', [file], ofCopy)).stdout;
    },
    /** Starts the bot on the copy, as production is started but for database and address. */
    startCopy: (answers: '/readyz' | '/healthz') => stage.startChild({ port, env: ofCopy, answers }),
    /** Returns how many connections to the service the copy has opened. */
    callsOfCopy: proxy.taken,
    remotes: () => service.subscriptions.all().map(({ id, uri }) => ({ id, origin: new URL(uri).origin })),
    /** Returns the first answer to a command that reaches the bot at an address. */
    async ask(address: string, line: string): Promise<string> {
      const before = new Set(slack.ephemerals(dana).map(({ id }) => id));
      slack.botRequestUrl = `${address}/slack/events`;
      await stage.type(dana, line);
      return textOf(await slack.waitForEphemeral(dana, ({ id }) => !before.has(id)));
    },
    /** Changes a file at the service every so often, `times` times. */
    async change(times: number, everyMs: number): Promise<void> {
      for (let n = 0; n < times; n += 1) {
        changes += 1;
        const name = `Drawing ${changes}.pdf`;
        const project = 'Harbour Tower';
        service.act('sam@example.com', { action: 'create-file', project, parent: 'Plans', name });
        await sleep(everyMs);
      }
    },
    /** Counts the notifications about all changes that are not posted, and the messages that show none of them. */
    async delivery(): Promise<{ readonly lost: number; readonly extra: number }> {
      const posted = new Map<string, string>();
      for (const database of [stage.database, copyDatabase]) {
        const { rows } = await database
          .connect()
          .pool.query<{ id: string; ts: string }>(
            `select channel_id || notification_id as id, message_ts as ts from plancast.events where state = 'posted'`,
          );
        for (const { id, ts } of rows) posted.set(id, ts);
      }
      const shown = new Set(posted.values());
      const messages = channels.flatMap((channel) => slack.messages(channel));
      return {
        lost: changes * channels.length - posted.size,
        // Each channel has the announcement of its subscription, too.
        extra: messages.filter(({ ts }) => !shown.has(ts)).length - channels.length,
      };
    },
  };
}
