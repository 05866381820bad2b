import { alreadyGone } from '../../messages/subscribing/answers.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import type { AdmittingDeps } from './action-deps.ts';
import { type Handler, type Handlers, isUuid, type Press } from './press.ts';

/** The buttons with which people ask an admin, and with which admins answer. */
export function adminActions({ admitted, askAdmin, settings }: AdmittingDeps): Handlers {
  const withId = (act: (press: Press) => Promise<void>): Handler =>
    admitted((press) => (isUuid(press.value) ? act(press) : press.context.reply(alreadyGone)));

  return {
    [actionIds.askAdmin]: withId(({ context, value }) => askAdmin.ask(context, value)),
    [actionIds.requestAllow]: withId(({ context, value }) => askAdmin.answer(context, value, 'allowed')),
    [actionIds.requestDecline]: withId(({ context, value }) => askAdmin.answer(context, value, 'declined')),
    [actionIds.settingsOpen]: admitted(({ context }) => settings.show(context)),
  };
}
