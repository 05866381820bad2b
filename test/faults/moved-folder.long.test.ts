import { expect, onTestFinished, test } from 'vitest';
import { memoryOf } from '../../bench/stage/process-use.ts';
import { startFlags } from '../../bench/stage/start-flags.ts';
import type { Channel } from '../../sandbox/slack/directory.ts';
import { mostEvents } from '../../src/core/model/lane-card.ts';
import type { ChildBot } from '../support/child-bot.ts';
import { followed } from '../support/followed.ts';
import { type Stage, setStage } from '../support/stage.ts';
import {
  type MovedWhile,
  messagesOf,
  sendFiles,
  settled,
  setWorkMem,
  showsFiles,
} from './support/moved-folder.ts';
import { startStatementProxy } from './support/statement-proxy.ts';

type Case = {
  readonly files: number;
  readonly way: MovedWhile;
  readonly workMem: '1MB' | '4MB';
  readonly processes: 1 | 2;
  /** Whether the first process is killed after it posted and before it marked what it posted. */
  readonly kill: boolean;
};

const timeout = 180_000;
const cases = [1_000, 5_000, 20_000].flatMap((files) =>
  (['muted', 'digest', 'live'] as const).flatMap((way): Case[] => [
    { files, way, workMem: '1MB', processes: 1, kill: false },
    { files, way, workMem: '4MB', processes: 2, kill: false },
    { files, way, workMem: '1MB', processes: 2, kill: true },
  ]),
);

/** The statement that marks turns. */
const mark = /update plancast\.lanes l set claimed_until/;

test.each(cases)(
  'S94: $files files are moved with their folder, $way, work_mem $workMem, $processes processes, kill $kill: few messages, none twice but by the kill',
  async (one) => {
    const { files, way, workMem, processes, kill } = one;
    const stage = await setStage({ name: 'moved folder', bot: false, rateLimit: 'strict' });
    const proxy = await startStatementProxy(stage.database.url);
    onTestFinished(async () => {
      await stage.close();
      await proxy.close();
    });
    await setWorkMem(stage, workMem);
    const victim = await stage.startChild({
      env: kill ? { DATABASE_URL: proxy.url } : {},
      flags: startFlags,
    });
    const others = processes === 2 ? [await stage.startChild({ flags: startFlags })] : [];
    await stage.link(stage.dana, 'dana@example.com');
    const { channel, uri } = await followedWhile(stage, way);
    stage.slack.botRequestUrl = `${victim.publicUrl}/slack/events`;
    const uris = [victim, ...others].map(({ publicUrl }) => uri.replace(victim.publicUrl, publicUrl));
    await sendFiles(uris, { files, folder: 'Plans', eventType: 'Create' });
    if (way === 'digest') await releaseDigest(stage, channel, files);
    await settled(stage, channel, { posted: files, held: 0, timeout });
    const before = await messagesOf(stage, channel);
    // As after some minutes: nothing is edited into the message any more.
    await stage.database.connect().pool.query('update plancast.lanes set card = null');
    const move = () => sendFiles(uris, { files, folder: 'Details', eventType: 'Update' });
    if (way === 'muted') {
      await stage.type(stage.dana, '/plancast mute 2h', channel);
      await stage.slack.waitForMessage(channel, 'muted');
    }
    if (way !== 'live') {
      await move();
      await settled(stage, channel, { posted: files, held: files, timeout });
    }

    for (const { pid } of kill ? others : []) process.kill(pid, 'SIGSTOP');
    const known = new Set(stage.slack.messages(channel).map(({ ts }) => ts));
    const isNew = ({ ts, text }: { ts: string; text: string }) => !known.has(ts) && showsFiles.test(text);
    const posted = kill ? stage.slack.waitForMessage(channel, isNew, timeout) : null;
    const from = performance.now();
    const releases: Readonly<Record<MovedWhile, () => Promise<unknown>>> = {
      live: move,
      muted: () => stage.type(stage.dana, '/plancast unmute', channel),
      digest: () => releaseDigest(stage, channel, files),
    };
    const released = releases[way]();
    if (posted) {
      // The bot has not read Slack's answer yet.
      await posted;
      await proxy.hold({ statement: mark, when: 'before' }).reached(1);
      await victim.end('SIGKILL');
      proxy.clear();
      for (const { pid } of others) process.kill(pid, 'SIGCONT');
    }
    await released;
    await settled(stage, channel, { posted: 2 * files, held: 0, timeout });

    const after = await messagesOf(stage, channel);
    const report = {
      messages: after.messages - before.messages,
      again: after.again,
      seconds: Math.round((performance.now() - from) / 100) / 10,
      memory: await peakOf(kill ? others : [victim, ...others]),
    };
    process.stderr.write(`${JSON.stringify(one)}: ${JSON.stringify(report)}\n`);
    expect(report.again).toBeLessThanOrEqual(kill ? 1 : 0);
    const most = Math.ceil(files / mostEvents) + report.again;
    expect(report.messages).toBeLessThanOrEqual(way === 'live' ? 3 * most : most);
  },
  600_000,
);

/** Makes a channel in which Dana follows the project, live or with a digest. */
async function followedWhile(stage: Stage, way: MovedWhile): Promise<{ channel: Channel; uri: string }> {
  if (way !== 'digest') return followed(stage);
  const { dana, slack, service } = stage;
  const channel = slack.addChannel({ members: [dana] });
  await stage.type(dana, '/subscribe project 412-873-550 digest hourly', channel);
  await slack.waitForMessage(channel, 'in an hourly digest');
  return { channel, uri: service.subscriptions.all().at(-1)?.uri ?? '' };
}

/** Does what the minute's chore does at the hour of a digest. The clock of processes of their own cannot be moved. */
async function releaseDigest({ database }: Stage, { id }: Channel, files: number): Promise<void> {
  const { rowCount } = await database.connect().pool.query(
    `update plancast.events set reason = null, summary = 'digest'
     where channel_id = $1 and state = 'pending' and reason = 'digest'`,
    [id],
  );
  expect(rowCount).toBe(files);
}

/** Returns the most memory that one of the processes had, in MB. */
async function peakOf(processes: readonly ChildBot[]): Promise<number> {
  const memory = await Promise.all(processes.map(({ pid }) => memoryOf(pid)));
  return Math.round(Math.max(...memory.map(({ peak }) => peak)));
}
