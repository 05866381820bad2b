import type { CommandContext } from '../../core/access/command-context.ts';
import { Refusal } from '../../core/access/refusal.ts';
import { requireMayChange } from '../../core/access/who-may.ts';
import type { Exclusion } from '../../core/model/exclusion.ts';
import { isTooLate } from '../../core/model/undo.ts';
import { alreadyGone, tooLateToUndo } from '../../messages/subscribing/answers.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import type { AdmittingDeps } from './action-deps.ts';
import { findPressed, type Handler, type Handlers, type Press } from './press.ts';

type ExclusionActionDeps = AdmittingDeps & {
  /** Redraws the list or Home tab that contains the button. */
  readonly listAgain: Handler;
};

/** The buttons that end an exclusion (a muted item or a hidden person), or that undo its end. */
export function exclusionActions(deps: ExclusionActionDeps): Handlers {
  /** Returns the exclusion; throws a `Refusal` if there is none or the person may not change what its channel posts. */
  async function requireExclusion(
    press: Press,
    id: string,
  ): Promise<{ readonly context: CommandContext; readonly row: Exclusion }> {
    const found = await findPressed(press, id, { bot: deps.bot, find: deps.exclusionOf });
    if (!found) throw new Refusal(press.context, alreadyGone);
    await requireMayChange(deps.bot, found.context, null);
    return found;
  }

  return {
    [actionIds.showAgain]: deps.admitted(async (press) => {
      const { context, row } = await requireExclusion(press, press.value);
      await deps.exclude.showAgain(context, row);
      await deps.listAgain(press);
    }),
    [actionIds.exclusionUndo]: deps.admitted(async (press) => {
      const [id = '', , at = ''] = press.value.split(':');
      // An exclusion that ended long ago is no longer stored.
      if (isTooLate(deps.bot.clock.now(), Number(at))) return press.context.reply(tooLateToUndo());
      const { context, row } = await requireExclusion(press, id);
      await deps.exclude.undo(context, row, Number(at));
    }),
  };
}
