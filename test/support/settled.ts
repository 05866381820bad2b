import { expect } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
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
