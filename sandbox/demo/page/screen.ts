import type { ServiceState, SlackState } from '../practice-states.ts';
import type { Progress } from '../progress.ts';
import { renderChannelHead, renderComposer, renderHome } from './channel.ts';
import { type Done, renderGuide } from './guide.ts';
import { type Html, html } from './html.ts';
import type { LookingAt } from './looking-at.ts';
import { makeMessageList } from './message-list.ts';
import { renderModal } from './modal.ts';
import type { Reader } from './render-rich-text.ts';
import { renderServicePanel } from './service-panel.ts';
import { type Latest, renderSidebar } from './sidebar.ts';
import { renderStatus } from './status.ts';

/** All that a page is drawn from. */
export type Scene = {
  readonly slack: SlackState;
  readonly service: ServiceState;
  readonly progress: Progress;
  readonly latest: Latest;
  readonly done: Done;
  readonly now: Date;
};

/** The parts of the page that change by themselves, by the id of the element they are in. */
export type Regions = Readonly<
  Record<'status' | 'sidebar' | 'head' | 'log' | 'compose' | 'dialog' | 'service', Html>
>;

/** Makes what draws the screen of one person. */
export function makeScreen() {
  const renderMessages = makeMessageList();

  function log({ slack, done }: Scene, looking: LookingAt, reader: Reader): Html {
    if (slack.channel?.kind === 'im' && looking.tab === 'home') {
      return renderHome(slack.home, { reader, choices: slack });
    }
    const guide = looking.guide && slack.channel?.kind !== 'im' && renderGuide(done);
    return html`${guide}${renderMessages(slack, reader)}`;
  }

  return (scene: Scene, looking: LookingAt): Regions => {
    const { slack, service, progress, latest } = scene;
    const reader = readerOf(scene, looking);
    const view = slack.views.at(-1);
    return {
      status: renderStatus(progress),
      sidebar: renderSidebar({ state: slack, looking, latest }),
      head: renderChannelHead(slack, looking),
      log: log(scene, looking, reader),
      compose: renderComposer(slack, looking, progress),
      dialog: view === undefined ? html`` : renderModal(view, { reader, choices: slack }),
      service: renderServicePanel(service, looking),
    };
  };
}

function readerOf({ slack, now }: Scene, { user }: LookingAt): Reader {
  return {
    zone: slack.users.find(({ id }) => id === user)?.tz ?? 'UTC',
    now,
    users: slack.users.map(({ id, realName }) => ({ id, name: realName })),
    channels: slack.channels.map(({ id, name }) => ({ id, name })),
  };
}
