import type { CommandContext } from '../../core/access/command-context.ts';
import type { RequireMaySee } from '../../core/access/who-may.ts';
import type { PointedAt, Why } from '../../core/explaining/why.ts';
import type { RequireAdmission } from '../../core/requests/carry-out.ts';
import type { ShowForm } from '../../core/subscribing/show-form.ts';

export type ShortcutDeps = {
  readonly requireAdmission: RequireAdmission;
  readonly requireMaySee: RequireMaySee;
  readonly showForm: Pick<ShowForm, 'anywhere'>;
  readonly why: Pick<Why, 'message'>;
};

/** What each shortcut of the composer and the search does, by its `callback_id`. */
export function shortcutTable({ requireAdmission, showForm }: ShortcutDeps) {
  return {
    subscribe: async (context: CommandContext) => {
      await requireAdmission(context);
      await showForm.anywhere(context);
    },
  } as const;
}

/** What each shortcut in the menu of a message does, by its `callback_id`. */
export function messageShortcutTable({ requireAdmission, requireMaySee, why }: ShortcutDeps) {
  return {
    why: async (context: CommandContext, message: PointedAt) => {
      await requireAdmission(context);
      await requireMaySee(context);
      await why.message(context, message);
    },
  } as const;
}
