import type { Account } from '../ledger.ts';
import type { FaultSettings } from '../practice-faults.ts';
import type { ServiceState, SlackChannel, SlackState } from '../practice-states.ts';
import type { Progress } from '../progress.ts';
import { renderChannelHead, renderComposer, renderHome } from './channel.ts';
import { renderClock } from './clock-menu.ts';
import { renderEventsPanel } from './events-panel.ts';
import type { Facts, Happened } from './facts.ts';
import { guideButton, renderGuide } from './guide.ts';
import { type Html, html } from './html.ts';
import type { LookingAt } from './looking-at.ts';
import { makeMessageList } from './message-list.ts';
import { renderModal } from './modal.ts';
import type { Reader } from './render-rich-text.ts';
import { renderServicePanel } from './service-panel.ts';
import { type Counts, renderSidebar } from './sidebar.ts';
import { renderStatus } from './status.ts';
import { renderSides, renderTabs } from './tabs.ts';

/** The input of a page. */
export type Scene = {
  readonly slack: SlackState;
  readonly service: ServiceState;
  readonly progress: Progress;
  readonly counts: Counts;
  /** All channels, including those the person is not in. */
  readonly channels: readonly Pick<SlackChannel, 'id' | 'name' | 'kind'>[];
  readonly facts: Happened;
  readonly account: Account;
  readonly faults: FaultSettings;
  /** By the practice clock. */
  readonly now: Date;
  /** Milliseconds it is ahead of the machine's clock. */
  readonly ahead: number;
};

/** The parts of the page that update separately, by the id of their element. */
export type Regions = Readonly<
  Record<
    'status' | 'tools' | 'tabs' | 'sidebar' | 'head' | 'guide' | 'log' | 'compose' | 'dialog' | 'service',
    Html
  >
>;

/** Creates the renderer of one person's screen. */
export function makeScreen() {
  const renderMessages = makeMessageList();

  function log({ slack }: Scene, looking: LookingAt, reader: Reader): Html {
    if (slack.channel?.kind === 'im' && looking.tab === 'home') {
      return renderHome(slack.home, { reader, choices: slack });
    }
    return renderMessages(slack, reader);
  }

  return (scene: Scene, looking: LookingAt): Regions => {
    const { slack, service, progress, counts, now, ahead } = scene;
    const reader = readerOf(scene, looking);
    const { zone } = reader;
    const facts: Facts = { ...scene, happened: scene.facts, side: looking.side, zone };
    const view = slack.views.at(-1);
    return {
      status: renderStatus(progress),
      tools: html`${renderClock({ now, ahead, zone })}${guideButton(looking.guide)}`,
      tabs: renderTabs(looking),
      sidebar: renderSidebar({ state: slack, looking, counts }),
      head: renderChannelHead(slack, looking),
      guide: isGuideShown(scene, looking) ? renderGuide(facts, looking) : html``,
      log: log(scene, looking, reader),
      compose: renderComposer(slack, looking, progress),
      dialog: view === undefined ? html`` : renderModal(view, { reader, choices: slack }),
      service: html`${renderSides(looking)}${looking.side === 'events' ? renderEventsPanel(facts, { channels: scene.channels, zone, sort: looking.sort }) : renderServicePanel(service, looking)}`,
    };
  };
}

/** Direct messages and the Home tab get the whole space unless a scenario takes place in them. */
function isGuideShown({ slack }: Scene, { guide, chip }: LookingAt): boolean {
  return guide && (slack.channel?.kind !== 'im' || chip !== '');
}

function readerOf({ slack, now }: Scene, { user }: LookingAt): Reader {
  return {
    zone: slack.users.find(({ id }) => id === user)?.tz ?? 'UTC',
    now,
    users: slack.users.map(({ id, realName }) => ({ id, name: realName })),
    channels: slack.channels.map(({ id, name }) => ({ id, name })),
  };
}
