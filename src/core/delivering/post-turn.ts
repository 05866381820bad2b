import type { Message } from '../../messages/text/message.ts';
import type { PostOutcome } from '../channels/post.ts';
import { channelFields } from '../model/log-fields.ts';
import type { Channel } from '../model/people.ts';
import type { DeliverDeps } from './deliver-deps.ts';
import type { ClaimedLane } from './delivery-tables.ts';
import { LaneLostError } from './mark-turn.ts';
import type { RenderTurn, Style } from './render-turn.ts';
import type { Turn } from './turn.ts';

type PostTurnDeps = Pick<DeliverDeps, 'clock' | 'noteAttempt' | 'post' | 'lookUp' | 'tableRefusals' | 'log'>;

/**
 * Posts a turn's message. If Slack refuses it, it is tried again without its table, which not every Slack accepts, and then as plain
 * text: a plain message is better than none.
 */
export function makePostTurn(deps: PostTurnDeps, render: RenderTurn['render']) {
  const { clock, log } = deps;

  return async (
    taken: ClaimedLane,
    { turn, message, style }: { turn: Turn; message: Message; style: Style },
  ): Promise<PostOutcome> => {
    const { lane } = taken;
    const where = { threadTs: turn.threadTs ?? undefined, key: await noteAttempt(taken, turn, style) };
    let outcome = await deps.post(lane, message, where);
    if (outcome.kind !== 'refused') return outcome;
    if (outcome.error === 'invalid_blocks' && message.blocks.some(({ type }) => type === 'data_table')) {
      await deps.tableRefusals.note(lane);
      const look = { ...style.look, tables: false };
      outcome = await deps.post(lane, render(turn, turn.changes, turn.since, { ...style, look }), where);
      if (outcome.kind !== 'refused') return outcome;
    }
    log.warn({ ...channelFields(lane), error: outcome.error }, 'message refused, posting it as plain text');
    return deps.post(lane, { text: message.text, blocks: [] }, where);
  };

  /** Stores the post before it is made, if the bot could look for it later. Returns its key. */
  async function noteAttempt(taken: ClaimedLane, turn: Turn, { lead }: Style): Promise<string | undefined> {
    if (!(await mayLook(taken.lane))) return undefined;
    const key = `${taken.fence}.${turn.posted[0] ?? ''}`;
    const at = clock.now().toISOString();
    const attempt = { key, seqs: turn.posted, at, threadTs: turn.threadTs, announcementId: lead?.id ?? null };
    const noted = await deps.noteAttempt(taken, attempt);
    if (!noted) throw new LaneLostError(taken.lane);
    return key;
  }

  /** If Slack does not say who the bot is, posting will show what is wrong. */
  async function mayLook(lane: Channel): Promise<boolean> {
    return deps.lookUp.mayLook(lane).catch(() => false);
  }
}
