import type { CommandContext } from '../../core/access/command-context.ts';
import { type PressedSubscription, subscriptionPressed } from '../../core/access/find-pressed.ts';
import { requireMayChange, requireMaySee } from '../../core/access/who-may.ts';
import type { Bot } from '../../core/bot.ts';
import { pause, resume } from '../../core/channels/pause-subscription.ts';
import { doctor } from '../../core/explaining/doctor.ts';
import { whyChannel } from '../../core/explaining/why.ts';
import { showHome } from '../../core/home/show-home.ts';
import type { Request } from '../../core/model/request.ts';
import { openEditForm } from '../../core/subscribing/show-form.ts';
import { showList } from '../../core/subscribing/show-list.ts';
import { subscribe } from '../../core/subscribing/subscribe.ts';
import { undoChange } from '../../core/subscribing/undo-change.ts';
import { undoUnsubscribe } from '../../core/subscribing/undo-unsubscribe.ts';
import { removeById } from '../../core/subscribing/unsubscribe.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import { readListPage } from '../../messages/subscribing/lists.ts';
import { listPageOfRow, type RowMenuAct, readRowMenu } from '../../messages/subscribing/row-buttons.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import { readPage } from '../../messages/text/message.ts';
import { admitting, findPressed, type Handler, type Handlers, isUuid, type Press } from './press.ts';

type OnRow = {
  /** Throws a `Refusal` if the person may not do that. */
  readonly requireMayDo: (context: CommandContext, row: PressedSubscription) => Promise<unknown>;
  readonly act: (context: CommandContext, row: PressedSubscription) => Promise<void>;
};

/** The buttons and menus of a subscription in lists, in the Home tab and below announcements. */
export function subscriptionActions(bot: Bot): {
  readonly handlers: Handlers;
  /** Opens the form of the subscription whose id is the value. */
  readonly edit: Handler;
  /** Redraws the page that contains the button. */
  readonly listAgain: Handler;
} {
  const admitted = admitting(bot);

  const onRow = ({ requireMayDo, act }: OnRow): Handler =>
    admitted(async (press) => {
      const found = await findPressed(bot, press, press.value, subscriptionPressed);
      if (!found) return press.context.reply(alreadyGone);
      const { context, row } = found;
      await requireMayDo(context, row);
      await act(context, row);
    });

  /** Makes a handler that changes a subscription and then redraws the list or Home tab. */
  const onChange = (asks: (row: PressedSubscription) => Request | null, act: OnRow['act']): Handler => {
    const change = onRow({
      requireMayDo: (context, row) => requireMayChange(bot, context, asks(row)),
      act,
    });
    return async (press) => {
      await change(press);
      await listAgain(press);
    };
  };

  async function listAgain({ context, blockId }: Press): Promise<void> {
    const page = listPageOfRow(blockId);
    if (page === null) return;
    const list = readListPage(page);
    if (list) {
      const toRemove = list.purpose === 'unsubscribe';
      return showList(bot, context, { toRemove, page: list.page, replace: true });
    }
    const [place, number = ''] = page.split(':');
    if (place === 'home') await showHome(bot, context.person, readPage(number));
  }

  const menu: Readonly<Record<RowMenuAct, Handler>> = {
    edit: onRow({
      requireMayDo: (context, row) => requireMayChange(bot, context, editRequest(row)),
      act: (context, row) => openEditForm(bot, context, row),
    }),
    activity: onRow({
      requireMayDo: (context) => requireMaySee(bot, context),
      act: (context, row) => whyChannel(bot, context, { only: row.id }),
    }),
    check: onRow({
      requireMayDo: (context) => requireMaySee(bot, context),
      act: (context) => doctor(bot, context),
    }),
  };

  const handlers: Handlers = {
    [actionIds.subscriptionMenu]: async (press) => {
      const chosen = readRowMenu(press.value);
      if (chosen) await menu[chosen.act]({ ...press, value: chosen.id });
    },
    [actionIds.subscriptionPause]: onChange(
      () => null,
      (context, row) => pause(bot, context, row),
    ),
    [actionIds.subscriptionResume]: onChange(
      () => null,
      (context, row) => resume(bot, context, row),
    ),
    [actionIds.subscriptionTakeOver]: onChange(takeOverRequest, (context, row) =>
      subscribe(bot, context, takeOverRequest(row)),
    ),
    [actionIds.subscriptionRemove]: onChange(
      ({ target }) => ({ act: 'unsubscribe', target }),
      (context, { id }) => removeById(bot, context, id),
    ),
    [actionIds.subscriptionEdit]: menu.edit,
    [actionIds.subscriptionUndo]: admitted(({ context, value }) =>
      undoUnsubscribe(bot, context, value.split(',').filter(isUuid)),
    ),
    [actionIds.settingsUndo]: async (press) => {
      const [id = '', key = '', at = ''] = press.value.split(':');
      const undo = onRow({
        requireMayDo: (context, row) =>
          requireMayChange(
            bot,
            context,
            key === '' ? { act: 'unsubscribe', target: row.target } : editRequest(row),
          ),
        act: (context, row) => undoChange(bot, context, row, { key, at: Number(at) }),
      });
      await undo({ ...press, value: id });
    },
  };
  return { handlers, edit: menu.edit, listAgain };
}

function takeOverRequest(row: PressedSubscription) {
  return { ...editRequest(row), takeOver: true } as const;
}

/** Returns the request that an admin is asked to allow when a person may not edit a subscription. */
export function editRequest({
  target,
  comprehensive,
}: Pick<PressedSubscription, 'target' | 'comprehensive'>): Request & { readonly act: 'subscribe' } {
  return { act: 'subscribe', target, comprehensive, filters: {} };
}
