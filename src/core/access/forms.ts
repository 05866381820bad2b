import type { ModalView } from '@slack/types';
import type { CommandContext } from './command-context.ts';

/** Opens a form for the person who asked, and returns it; null if Slack refuses because the click or command was too long ago. */
export type OpenForm = (context: CommandContext, view: ModalView) => Promise<OpenedForm | null>;

/** A form as it was opened. `hash`: Slack's hash of the view; it differs after each update. */
type OpenedForm = { readonly id: string; readonly hash: string };

/** Redraws a form, unless it is closed or shows a newer change than the one in `over`. */
export type UpdateForm = (
  context: CommandContext,
  viewId: string,
  view: ModalView,
  over?: ReplacedForm,
) => Promise<void>;

/** The state of a form when it was changed. */
type ReplacedForm = {
  readonly hash: OpenedForm['hash'];
  /** Returns whether the form has not been changed since. */
  readonly isNewest: () => Promise<boolean>;
};
