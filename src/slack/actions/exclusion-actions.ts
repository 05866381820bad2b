import { requireMayChange } from '../../core/access/who-may.ts';
import { showAgain } from '../../core/channels/exclude.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import type { AdmittingDeps } from './action-deps.ts';
import { findPressed, type Handler, type Handlers } from './press.ts';

type ExclusionActionDeps = AdmittingDeps & {
  /** Redraws the list or Home tab that contains the button. */
  readonly listAgain: Handler;
};

/** The button that ends an exclusion: of a muted item or a hidden person. */
export function exclusionActions(deps: ExclusionActionDeps): Handlers {
  return {
    [actionIds.showAgain]: deps.admitted(async (press) => {
      const found = await findPressed(press, press.value, { bot: deps.bot, find: deps.exclusionOf });
      if (!found) return press.context.reply(alreadyGone);
      await requireMayChange(deps.bot, found.context, null);
      await showAgain(deps.bot, found.context, found.row);
      await deps.listAgain(press);
    }),
  };
}
