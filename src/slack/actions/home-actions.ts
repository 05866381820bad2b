import type { LinkCommands } from '../../core/linking/link-commands.ts';
import type { CarryOutRequest } from '../../core/requests/carry-out.ts';
import type { ShowForm } from '../../core/subscribing/show-form.ts';
import type { ShowHome } from '../../core/subscribing/show-home.ts';
import { readHomePage } from '../../messages/home/home.ts';
import { actionIds } from '../../messages/text/action-ids.ts';
import type { Handler, Handlers } from './press.ts';

export type HomeActionDeps = {
  readonly admitted: (handler: Handler) => Handler;
  readonly links: Pick<LinkCommands, 'link' | 'askUnlink'>;
  readonly showForm: Pick<ShowForm, 'anywhere'>;
  readonly carryOut: CarryOutRequest;
  readonly showHome: Pick<ShowHome, 'show' | 'refresh'>;
};

/** What the buttons of the Home tab do that stand beside no subscription. */
export function homeActions({ admitted, links, showForm, showHome, carryOut }: HomeActionDeps): Handlers {
  const turnPage = admitted(({ context, value }) => showHome.show(context.person, readHomePage(value)));
  return {
    [actionIds.homeLink]: admitted(({ context }) => links.link(context)),
    [actionIds.homeUnlink]: admitted(({ context }) => links.askUnlink(context)),
    [actionIds.homeFollow]: admitted(({ context }) => showForm.anywhere(context)),
    // Writes to the person first where the bot never did, since only Slack's answer names the direct message.
    [actionIds.homeFollowPersonally]: ({ context }) =>
      carryOut(context, { act: 'open-form', personal: true }),
    [actionIds.homePrevious]: turnPage,
    [actionIds.homeNext]: turnPage,
  };
}
