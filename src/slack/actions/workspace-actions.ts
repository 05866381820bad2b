import {
  type ManageAct,
  manageAll,
  manageOne,
  pauseHidden,
} from '../../core/administering/manage-workspace.ts';
import { showRemoveData } from '../../core/administering/remove-data.ts';
import { showAudit } from '../../core/administering/show-audit.ts';
import { readScreen, showWorkspace, wholeWorkspace } from '../../core/administering/show-workspace.ts';
import { isChannelId, isUserId } from '../../core/model/typed-text.ts';
import type { WorkspaceFilter } from '../../core/model/workspace-filter.ts';
import { showHome } from '../../core/subscribing/show-home.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import { readPage } from '../../messages/text/message.ts';
import type { AdmittingDeps } from './action-deps.ts';
import { type Handler, type Handlers, isUuid, type Press } from './press.ts';

/** The buttons for admins in their Home tab, and for owners below an import offer. Each checks the person's rights again. */
export function workspaceActions(deps: AdmittingDeps): Handlers {
  const { bot, admitted, offerImports } = deps;
  const screenOf = ({ view }: Press) => readScreen(view?.private_metadata ?? '');

  const filtered = (change: (value: string) => Partial<WorkspaceFilter>): Handler =>
    admitted(async (press) => {
      const filter = { ...screenOf(press).filter, ...change(press.value) };
      await showWorkspace(bot, press.context.person, { filter, page: 0 });
    });
  const turnPage = admitted((press) =>
    showWorkspace(bot, press.context.person, { ...screenOf(press), page: readPage(press.value) }),
  );
  /**
   * Makes a handler that acts and then redraws the list, unless the person has moved on. A person who is refused because they are no
   * longer an admin sees their own Home tab.
   */
  const thenAgain = (act: (press: Press) => Promise<void>): Handler =>
    admitted(async (press) => {
      try {
        await act(press);
      } finally {
        await showWorkspace(bot, press.context.person, screenOf(press), press.view?.hash);
      }
    });
  const toOne = (act: ManageAct): Handler =>
    thenAgain(({ context, value }) =>
      isUuid(value) ? manageOne(bot, context, value, act) : context.reply(alreadyGone),
    );
  const toAll = (act: ManageAct): Handler =>
    thenAgain((press) => manageAll(bot, press.context, screenOf(press).filter, act));
  const answered = (answer: (press: Press) => Promise<void>): Handler =>
    admitted((press) =>
      isUuid(press.value) ? answer(press) : press.context.reply(alreadyGone, { replace: true }),
    );

  return {
    [actionIds.workspaceOpen]: admitted(({ context }) => showWorkspace(bot, context.person, wholeWorkspace)),
    [actionIds.workspaceBack]: admitted(({ context }) => showHome(bot, context.person)),
    [actionIds.workspaceState]: filtered((value) => ({ state: stateIn(value) })),
    [actionIds.workspaceChannel]: filtered((value) => ({ channelId: isChannelId(value) ? value : null })),
    [actionIds.workspaceOwner]: filtered((value) => ({ ownerUserId: isUserId(value) ? value : null })),
    [actionIds.workspaceClear]: admitted(({ context }) => showWorkspace(bot, context.person, wholeWorkspace)),
    [actionIds.workspacePause]: toOne('pause'),
    [actionIds.workspaceResume]: toOne('resume'),
    [actionIds.workspaceRemove]: toOne('remove'),
    [actionIds.workspacePauseAll]: toAll('pause'),
    [actionIds.workspaceResumeAll]: toAll('resume'),
    [actionIds.workspaceRemoveAll]: toAll('remove'),
    [actionIds.workspacePauseHidden]: thenAgain((press) =>
      pauseHidden(bot, press.context, screenOf(press).filter),
    ),
    [actionIds.workspacePrevious]: turnPage,
    [actionIds.workspaceNext]: turnPage,
    [actionIds.auditOpen]: admitted(({ context }) => showAudit(bot, context.person, null)),
    [actionIds.auditNewest]: admitted(({ context }) => showAudit(bot, context.person, null)),
    [actionIds.auditOlder]: admitted(({ context, value }) =>
      showAudit(bot, context.person, /^\d{1,18}$/.test(value) ? value : null),
    ),
    [actionIds.removeDataOpen]: admitted(({ context }) => showRemoveData(bot, context)),
    [actionIds.importOpen]: admitted(({ own }) => deps.importForm.show(own)),
    // Not counted as a command: the form is full of text that has not been sent yet.
    [actionIds.importMore]: async ({ context, view }) => {
      if (view) await deps.importForm.addField(context, { id: view.id, metadata: view.private_metadata });
    },
    [actionIds.importAccept]: answered(({ context, value }) => offerImports.accept(context, value)),
    [actionIds.importDecline]: answered(({ context, value }) => offerImports.decline(context, value)),
  };
}

const states: readonly WorkspaceFilter['state'][] = ['all', 'working', 'paused', 'problem'];

function stateIn(value: string): WorkspaceFilter['state'] {
  return states.find((state) => state === value) ?? 'all';
}
