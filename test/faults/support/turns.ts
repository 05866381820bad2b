import { randomBytes } from 'node:crypto';
import type { Bot } from '../../../src/core/bot.ts';
import { deliver } from '../../../src/core/delivering/deliver.ts';
import type { ClaimedLane } from '../../../src/core/delivering/turn.ts';
import type { Channel, SlackPerson } from '../../../src/core/model/people.ts';
import type { Filters } from '../../../src/core/model/subscription.ts';
import type { Clock } from '../../../src/lib/durations.ts';
import { makeProcessor, type Processor } from '../../../src/lib/process.ts';
import type { Message } from '../../../src/messages/text/message.ts';
import type { Slack } from '../../../src/slack/slack-port.ts';
import type { ConnectedDatabase, connectLanes } from '../../../src/store/database.ts';
import { sql } from '../../../src/store/sql.ts';
import { makeLaneQueue } from '../../../src/store/tables/lane-queue.ts';
import * as links from '../../../src/store/tables/links.ts';
import * as remotes from '../../../src/store/tables/remotes.ts';
import * as subscriptions from '../../../src/store/tables/subscriptions.ts';
import type { MarkedTurn } from '../../../src/store/tables/turn-mark.ts';
import { silentDebugLog } from '../../support/log.ts';

type TurnsDeps = Pick<Slack, 'post' | 'edit'> & {
  readonly connected: ConnectedDatabase;
  readonly lanesPool: ReturnType<typeof connectLanes>;
  readonly clock: Clock;
  readonly usedMs?: Processor['usedMs'];
  readonly givenBack?: Bot['metrics']['givenBack'];
};

/** Makes the bot's own queue and turns on real tables, with a Slack and a clock of the test. */
export function makeTurns({ connected, lanesPool, clock, usedMs, givenBack, post, edit }: TurnsDeps) {
  const { db } = connected;
  const queue = makeLaneQueue<Message>(lanesPool.pool);
  const processor = makeProcessor();
  const bot = {
    db,
    clock,
    queue: { mark: async (turn: MarkedTurn) => (await queue.mark([turn])).size === 1 },
    inProcess: { processor: { ...processor, usedMs: usedMs ?? processor.usedMs } },
    slack: {
      post,
      edit,
      nameOf: async () => 'Sam Okafor',
      botNameOf: async () => 'plancast',
      directMessage: async () => undefined,
      profileOf: async ({ userId }: SlackPerson) => ({ name: userId }),
    },
    metrics: { settled: () => undefined, givenBack: givenBack ?? (() => undefined), post: () => undefined },
    log: silentDebugLog,
    config: { urlTemplates: {}, copy: { serviceName: 'Practice', commands: {} } },
    linking: { emailsOf: async () => [] },
    upstream: { releaseSoon: () => undefined },
  } as unknown as Bot;

  return {
    bot,
    queue,
    deliver: (taken: ClaimedLane) => deliver(bot, taken),
    /** Makes an active subscription of a channel, to project 412-873-550 by default. Returns the hash of its callback token. */
    async subscribe(
      lane: Channel,
      {
        record,
        threads = false,
        filters = {},
        owner = 'U0DANA',
        projectId = '412-873-550',
      }: {
        record: string;
        threads?: boolean;
        filters?: Partial<Filters>;
        owner?: string;
        projectId?: string;
      },
    ): Promise<Buffer> {
      const tokenHash = randomBytes(32);
      // A channel that opens again resumes only what somebody has linked for.
      await sql`
        insert into plancast.links (team_id, grid_id, user_id, state, linked_at, refreshed_at)
        values (${lane.teamId}, ${lane.teamId}, ${owner}, 'active', now(), now())
        on conflict do nothing`.execute(db);
      const row = await subscriptions.add(db, {
        ...lane,
        ownerUserId: owner,
        target: { kind: 'project', projectId },
        comprehensive: true,
        filters: { only: [], paths: [], by: [], notBy: [], ...filters },
        delivery: { when: 'live' },
        threads,
        now: clock.now(),
      });
      const link = await links.of(db, { ...lane, userId: owner });
      const asked = {
        linkId: link?.id ?? '',
        comprehensive: true,
        tokenHash,
        callbackBase: 'http://127.0.0.1',
      };
      const remote = row && (await remotes.ask(db, row, asked, clock.now()));
      await remotes.made(
        db,
        remote ?? '',
        { serviceId: record, sealedKey: null, comprehensive: true },
        clock.now(),
      );
      await subscriptions.activate(
        db,
        row?.id ?? '',
        { comprehensive: true, keepsPause: false },
        clock.now(),
      );
      return tokenHash;
    },
  };
}
