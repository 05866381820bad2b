import { pageButton } from './act.ts';
import { type Html, html } from './html.ts';
import { icon } from './icons.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

type ClockMenu = {
  /** By the practice clock. */
  readonly now: Date;
  /** Milliseconds it is ahead of the machine's clock. */
  readonly ahead: number;
  /** IANA name. */
  readonly zone: string;
};

/** Renders the practice clock and the buttons that turn it ahead. */
export function renderClock({ now, ahead, zone }: ClockMenu): Html {
  const turn = (label: string, body: Record<string, unknown>): Html =>
    pageButton(label, { demo: { act: 'clock', body } });
  const buttons = [
    turn('Skip 10 minutes', { ms: 10 * minute }),
    turn('Skip 1 hour', { ms: hour }),
    turn('Skip to 9:00', { until: '9:00', zone }),
    turn('Skip 1 day', { ms: day }),
    turn('Skip 8 days', { ms: 8 * day }),
  ];
  const turned = ahead > 0 && html` <small>turned ahead</small>`;
  return html`<details class="menu" data-key="clock"><summary>${icon('clock')}<span class="spoken">Practice clock: </span><span data-clock="${ahead}" data-zone="${zone}">${clockText(now, zone)}</span>${turned}</summary><div data-arrows><p>One clock for the bot, the service and Slack.</p>${buttons}</div></details>`;
}

/** `Mon, Nov 23, 9:00 AM`; the page's script keeps it current. */
function clockText(now: Date, zone: string): string {
  return new Intl.DateTimeFormat('en-US', {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: zone,
  }).format(now);
}
