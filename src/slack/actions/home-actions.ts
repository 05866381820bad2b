import { actionIds } from '../../messages/text/action-ids.ts';
import { readPage } from '../../messages/text/message.ts';
import type { AdmittingDeps } from './action-deps.ts';
import type { Handlers } from './press.ts';

/** The buttons of the Home tab that do not belong to a subscription. */
export function homeActions({ admitted, links, showForm, showHome, carryOut }: AdmittingDeps): Handlers {
  const turnPage = admitted(({ context, value }) => showHome.show(context.person, readPage(value)));
  return {
    [actionIds.homeLink]: admitted(({ context }) => links.link(context)),
    [actionIds.homeUnlink]: admitted(({ context }) => links.askUnlink(context)),
    [actionIds.homeFollow]: admitted(({ context }) => showForm.anywhere(context)),
    // If the bot has never written to the person, this sends a message first: only Slack's response contains the id of the direct message.
    [actionIds.homeFollowPersonally]: ({ context }) =>
      carryOut(context, { act: 'open-form', personal: true }),
    [actionIds.homePrevious]: turnPage,
    [actionIds.homeNext]: turnPage,
  };
}
