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

/** Maps the `callback_id` of each shortcut in the composer and in search to its handler. */
export function shortcutTable({ requireAdmission, showForm }: ShortcutDeps) {
  return {
    subscribe: async (context: CommandContext) => {
      await requireAdmission(context);
      await showForm.anywhere(context);
    },
  } as const;
}

/** Maps the `callback_id` of each shortcut in a message's menu to its handler. */
export function messageShortcutTable({ requireAdmission, requireMaySee, why }: ShortcutDeps) {
  return {
    why: async (context: CommandContext, message: PointedAt) => {
      await requireAdmission(context);
      await requireMaySee(context);
      await why.message(context, message);
    },
  } as const;
}
