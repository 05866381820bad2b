import { earlier, minuteMs } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import type { Message } from '../../messages/text/message.ts';
import type { UndoOffer } from '../../store/tables/undo-offers.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { channelFields } from '../model/log-fields.ts';
import { undoMinutes } from '../model/undo.ts';
import type { ChannelsRoomDeps } from './channels-deps.ts';

/** Messages edited in one round: Slack allows about 50 edits a minute in a workspace, and busy channels need most of them. */
const editsARound = 20;

/** Removes the Undo button from messages once it was used or has expired. */
export function makeUndoOffers(deps: ChannelsRoomDeps) {
  const { clock, undoOffers, log } = deps;

  async function take(offer: UndoOffer): Promise<void> {
    // If the workspace has used up its edits for now, the next round does it.
    if (!(await deps.paces.takeUpdate(offer, clock.now()))) return;
    // A turn of the lane has stored this value.
    const outcome = await deps.edit(offer, offer.messageTs, offer.message as Message);
    if (outcome.kind === 'wait' || outcome.kind === 'perhaps') return;
    // A message that cannot be edited was deleted, or its channel is closed.
    await undoOffers.remove(offer);
  }

  return {
    /** Removes an Undo button that was used or clicked too late. `messageTs`: its message; null if it is in none. */
    async used(context: CommandContext, messageTs: string | null): Promise<void> {
      const offer = messageTs === null ? null : await undoOffers.ofMessage(channelOf(context), messageTs);
      if (offer) await take(offer);
    },

    /** Removes expired Undo buttons, and what they would have restored. Runs every minute. */
    async endOver(): Promise<void> {
      await deps.subscriptions.forgetUndo(earlier(clock.now(), undoMinutes * minuteMs));
      await forEachRow(await undoOffers.over(clock.now(), editsARound), take, (error, offer) =>
        log.warn({ err: error, ...channelFields(offer) }, 'could not remove an expired Undo button'),
      );
    },
  };
}
