import { expect } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import { betweenPostsMs } from '../../src/core/model/lane-card.ts';
import type { Channel as Lane } from '../../src/core/model/people.ts';
import { signalLanes } from '../../src/store/lane-signals.ts';
import type { Stage } from './stage.ts';

/** Waits until nothing is pending in a channel. Meanwhile the stage's clock runs fast, so that edits become due, for whose time the bot would wait. */
export async function settled(stage: Stage, channel: Channel): Promise<void> {
  const { db, pool } = stage.database.connect();
  const pending = async () => {
    const { rows } = await pool.query(
      `select from plancast.events where channel_id = $1 and state = 'pending' and reason is null`,
      [channel.id],
    );
    if (rows.length === 0) return 0;
    stage.advance(500);
    await signalLanes(db, [{ enterpriseId: null, teamId: stage.teamId, channelId: channel.id }]);
    return rows.length;
  };
  await expect.poll(pending, { timeout: 20_000, interval: 40 }).toBe(0);
}

/** Waits until no announcement or direct message is waiting. Meanwhile the stage's clock runs on, so that pauses between posts pass. */
export async function allPosted({ database, advance }: Pick<Stage, 'database' | 'advance'>): Promise<void> {
  const { db, pool } = database.connect();
  const waiting = async () => {
    const { rows } = await pool.query<Lane>(
      `select enterprise_id as "enterpriseId", team_id as "teamId", channel_id as "channelId" from plancast.announcements`,
    );
    if (rows.length > 0) advance(betweenPostsMs / 2);
    await signalLanes(db, rows);
    return rows.length;
  };
  await expect.poll(waiting, { timeout: 10_000, interval: 40 }).toBe(0);
}
