import { showImport } from '../../core/administering/import-lines.ts';
import {
  type ManageAct,
  manageAll,
  manageOne,
  pauseHidden,
} from '../../core/administering/manage-workspace.ts';
import { showRemoveData } from '../../core/administering/remove-data.ts';
import { showAudit } from '../../core/administering/show-audit.ts';
import { readScreen, showWorkspace, wholeWorkspace } from '../../core/administering/show-workspace.ts';
import type { Bot } from '../../core/bot.ts';
import { showHome } from '../../core/home/show-home.ts';
import { isChannelId, isUserId } from '../../core/model/typed-text.ts';
import type { WorkspaceFilter } from '../../core/model/workspace-filter.ts';
import { importEnded } from '../../messages/admin/imports.ts';
import { alreadyGone } from '../../messages/subscribing/answers.ts';
import { actionIds, oldActionIds } from '../../messages/text/action-ids.ts';
import { readPage } from '../../messages/text/message.ts';
import { admitting, type Handler, type Handlers, isUuid, type Press } from './press.ts';

/** The buttons for admins in their Home tab, and that which opens the import form. Each checks the person's rights again. */
export function workspaceActions(bot: Bot): Handlers {
  const admitted = admitting(bot);
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
  const ended = admitted(({ context }) => context.reply(importEnded, { replace: true }));

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
    [actionIds.importOpen]: admitted(({ inOwnWorkspace }) => showImport(bot, inOwnWorkspace)),
    [oldActionIds.importAccept]: ended,
    [oldActionIds.importDecline]: ended,
  };
}

const states: readonly WorkspaceFilter['state'][] = ['all', 'working', 'paused', 'problem'];

function stateIn(value: string): WorkspaceFilter['state'] {
  return states.find((state) => state === value) ?? 'all';
}
