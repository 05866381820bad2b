import { forEachRow } from '../../lib/for-each-row.ts';
import type { Log } from '../../lib/log.ts';
import type { Message } from '../../messages/text/message.ts';
import type { Paces } from '../../store/tables/paces.ts';
import type { UndoOffer, UndoOffers } from '../../store/tables/undo-offers.ts';
import { channelOf } from '../access/channel-of.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { Clock } from '../model/clock.ts';
import type { Edit } from './post.ts';

export type UndoOffersDeps = {
  readonly clock: Clock;
  readonly undoOffers: Pick<UndoOffers<Message>, 'ofMessage' | 'over' | 'remove'>;
  readonly paces: Pick<Paces, 'takeUpdate'>;
  readonly edit: Edit;
  readonly log: Pick<Log, 'warn'>;
};

export type UndoButtons = ReturnType<typeof makeUndoOffers>;

/** Messages that one round edits: Slack takes about 50 edits a minute and workspace, and busy channels need most of them. */
const editsARound = 20;

/** Takes the Undo button out of messages, once it was used or its time is over. */
export function makeUndoOffers(deps: UndoOffersDeps) {
  const { clock, undoOffers, log } = deps;

  async function take(offer: UndoOffer<Message>): Promise<void> {
    // Left for the next round, where the workspace has no edit to spare.
    if (!(await deps.paces.takeUpdate(offer, clock.now()))) return;
    const outcome = await deps.edit(offer, offer.messageTs, offer.message);
    if (outcome.kind === 'wait' || outcome.kind === 'perhaps') return;
    // A message that cannot be edited is deleted, or in a channel that is closed.
    await undoOffers.remove(offer);
  }

  return {
    /** An Undo was used, or came too late: its button goes. `messageTs`: of its message, null where it is in none. */
    async used(context: CommandContext, messageTs: string | null): Promise<void> {
      const offer = messageTs === null ? null : await undoOffers.ofMessage(channelOf(context), messageTs);
      if (offer) await take(offer);
    },

    /** Takes those buttons away whose time is over. For every minute. */
    async endOver(): Promise<void> {
      await forEachRow(await undoOffers.over(clock.now(), editsARound), take, (error, offer) =>
        log.warn(
          { err: error, team: offer.teamId, channel: offer.channelId },
          'an Undo button could not be taken away',
        ),
      );
    },
  };
}
