import type { CommandContext } from '../../core/access/command-context.ts';
import type { RequireMayChange } from '../../core/access/who-may.ts';
import type { PauseSubscription } from '../../core/channels/pause-subscription.ts';
import type { Request } from '../../core/model/request.ts';
import type { ShowForm } from '../../core/subscribing/show-form.ts';
import type { ShowHome } from '../../core/subscribing/show-home.ts';
import type { ShowList } from '../../core/subscribing/show-list.ts';
import type { Subscribe } from '../../core/subscribing/subscribe.ts';
import type { UndoUnsubscribe } from '../../core/subscribing/undo-unsubscribe.ts';
import type { Unsubscribe } from '../../core/subscribing/unsubscribe.ts';
import { readHomePage } from '../../messages/home/home.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import { readListPage } from '../../messages/subscribing/lists.ts';
import { listPageOfRow } from '../../messages/subscribing/row-buttons.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import { isDirect } from '../replies/block-channels.ts';
import { type Handler, type Handlers, isUuid, type Press } from './press.ts';

/** A live subscription, as the core knows it. */
type Row = Parameters<PauseSubscription['pause']>[1];

export type SubscriptionActionDeps = {
  readonly admitted: (handler: Handler) => Handler;
  readonly requireMayChange: RequireMayChange;
  /** A live subscription of the asking person's workspace. */
  readonly subscriptionOf: (context: CommandContext, id: string) => Promise<Row | null>;
  readonly subscribe: Subscribe;
  readonly unsubscribe: Unsubscribe;
  readonly undoUnsubscribe: UndoUnsubscribe;
  readonly pauseSubscription: PauseSubscription;
  readonly showForm: Pick<ShowForm, 'toChange'>;
  readonly showList: ShowList;
  readonly showHome: Pick<ShowHome, 'show' | 'refresh'>;
};

type OnRow = {
  readonly asks: (row: Row) => Request | null;
  readonly act: (context: CommandContext, row: Row) => Promise<void>;
};

/** What the buttons do that stand beside a subscription: in lists, in the Home tab, and below what is announced. */
export function subscriptionActions(deps: SubscriptionActionDeps): Handlers {
  const { admitted, pauseSubscription } = deps;

  /** Only for people of the subscription's channel: its id alone proves nothing, and a list may be old. */
  const onRow = ({ asks, act }: OnRow): Handler =>
    admitted(async (press) => {
      const { context: presser, value, view } = press;
      const row = isUuid(value) ? await deps.subscriptionOf(presser, value) : null;
      const isThere = view === null && !presser.elsewhere && !isDirect(presser.channelId);
      if (!row || (isThere && row.channelId !== presser.channelId)) return presser.reply(alreadyGone());
      const context = isThere ? presser : { ...presser, channelId: row.channelId, elsewhere: true };
      if (!(await deps.requireMayChange(context, asks(row)))) return;
      await act(context, row);
      await listAgain(press);
    });

  /** The page that the button stands on, as it is by now. */
  async function listAgain({ context, blockId }: Press): Promise<void> {
    const page = listPageOfRow(blockId);
    if (page === null) return;
    const list = readListPage(page);
    if (list) {
      const toRemove = list.purpose === 'unsubscribe';
      return deps.showList(context, { toRemove, page: list.page, replace: true });
    }
    const [place, number = ''] = page.split(':');
    if (place === 'home') await deps.showHome.show(context.person, readHomePage(number));
  }

  const asChange = ({ target, comprehensive }: Row): Request & { readonly act: 'subscribe' } => ({
    act: 'subscribe',
    target,
    comprehensive,
    filters: {},
  });

  return {
    [actionIds.subscriptionEdit]: onRow({ asks: asChange, act: deps.showForm.toChange }),
    [actionIds.subscriptionPause]: onRow({ asks: () => null, act: pauseSubscription.pause }),
    [actionIds.subscriptionResume]: onRow({ asks: () => null, act: pauseSubscription.resume }),
    [actionIds.subscriptionTakeOver]: onRow({
      asks: asChange,
      act: (context, row) => deps.subscribe(context, asChange(row)),
    }),
    [actionIds.subscriptionRemove]: onRow({
      asks: ({ target }) => ({ act: 'unsubscribe', target }),
      act: (context, { id }) => deps.unsubscribe.byId(context, id),
    }),
    [actionIds.subscriptionUndo]: admitted(({ context, value }) =>
      deps.undoUnsubscribe(context, value.split(',').filter(isUuid)),
    ),
  };
}
