import type { LedgerRow } from '../ledger.ts';
import { type FaultSettings, troubles } from '../practice-faults.ts';
import type { SlackChannel } from '../practice-states.ts';
import type { Progress } from '../progress.ts';
import { pageButton } from './act.ts';
import type { Facts } from './facts.ts';
import { type Html, html } from './html.ts';
import type { EventSort } from './looking-at.ts';
import { channelLabel } from './options.ts';
import { renderTally } from './tally.ts';

type Where = {
  readonly channels: readonly Pick<SlackChannel, 'id' | 'name' | 'kind'>[];
  readonly zone: string;
  readonly sort: EventSort;
};

/** Renders the fault switches and the state of each event. */
export function renderEventsPanel({ faults, account, progress }: Facts, where: Where): Html {
  return html`<h1 class="spoken">Faults and events</h1><h2>Faults</h2>${renderFaults(faults)}${renderBot(progress)}
<h2>All events</h2>${renderTally(account.all)}
<h2>Latest events</h2>${renderRows(account.latest, where)}`;
}

function renderFaults({ slack, service, duplicates, disorder, withoutTables }: FaultSettings): Html {
  return html`<div class="faults">
${choice('slack', 'Slack', { sides: troubles.slack, now: slack })}
${choice('service', 'Service', { sides: troubles.service, now: service })}
${box('duplicates', 'Send each notification twice', duplicates)}
${box('disorder', 'Send notifications out of order', disorder)}
${box('withoutTables', 'Slack refuses tables (invalid_blocks)', withoutTables)}
</div>`;
}

type Sides = { readonly sides: Readonly<Record<string, string>>; readonly now: string };

function choice(name: string, label: string, { sides, now }: Sides): Html {
  const options = Object.entries(sides).map(
    ([side, words]) => html`<option value="${side}"${side === now && html` selected`}>${words}</option>`,
  );
  return html`<p><label for="fault-${name}">${label}</label><select id="fault-${name}" data-fault="${name}">${options}</select></p>`;
}

function box(name: string, label: string, now: boolean): Html {
  return html`<p><label><input type="checkbox" data-fault="${name}"${now && html` checked`}> ${label}</label></p>`;
}

function renderBot({ isReady, isKilled }: Progress): Html {
  const button = isKilled
    ? pageButton('Start the bot again', { demo: { act: 'start', body: {} } })
    : pageButton('Kill the bot (kill -9)', { demo: { act: 'kill', body: {} } }, { style: 'small danger' });
  return html`<p class="buttons">${(isReady || isKilled) && button}</p>`;
}

function renderRows(rows: readonly LedgerRow[], where: Where): Html {
  if (rows.length === 0) return html`<p class="about">Nothing received yet.</p>`;
  const heads = columns.map((column) => renderHead(column, where.sort));
  const lines = sorted(rows, where.sort).map((row) => renderRow(row, where));
  return html`<div class="events" role="region" aria-label="Latest events" tabindex="0"><table><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table></div>`;
}

type Column = { readonly label: string; readonly up: EventSort; readonly down: EventSort };

const columns: readonly Column[] = [
  { label: 'Received', up: 'received', down: '-received' },
  { label: 'Event', up: 'event', down: '-event' },
  { label: 'State', up: 'state', down: '-state' },
];

/** Renders a column head: a click sorts by it, a second click reverses the order. */
function renderHead({ label, up, down }: Column, sort: EventSort): Html {
  const order = sort === up ? 'ascending' : sort === down ? 'descending' : undefined;
  const next = sort === up ? down : up;
  const sign = { ascending: '▲', descending: '▼' };
  const words = html`${label}${order && html` <span aria-hidden="true">${sign[order]}</span>`}`;
  return html`<th scope="col"${order && html` aria-sort="${order}"`}>${pageButton(words, { look: { sort: next } }, { style: 'sort' })}</th>`;
}

/** Sorts the rows; equal ones keep their order, newest first. */
function sorted(rows: readonly LedgerRow[], sort: EventSort): LedgerRow[] {
  const compare = new Intl.Collator('en', { numeric: true }).compare;
  const textOf = (row: LedgerRow): string => {
    if (sort.endsWith('received')) return String(row.seq);
    return sort.endsWith('event') ? `${row.name} ${row.eventType}` : fate(row);
  };
  const direction = sort.startsWith('-') ? -1 : 1;
  return rows.toSorted((one, other) => direction * compare(textOf(one), textOf(other)));
}

function renderRow(row: LedgerRow, { channels, zone }: Where): Html {
  const channel = channels.find(({ id }) => id === row.channelId);
  const time = (at: Date): string =>
    new Intl.DateTimeFormat('en-US', { timeStyle: 'medium', timeZone: zone }).format(at);
  const label = channel === undefined ? row.channelId : channelLabel(channel);
  const posted = row.postedAt !== null && html`<small>${time(row.postedAt)}</small>`;
  return html`<tr data-key="event-${row.seq}"><td>${time(row.receivedAt)}</td><td>${row.name ?? 'unknown'}<small>${row.eventType} · ${label}</small></td><td><span class="state ${row.state}">${fate(row)}</span>${posted}</td></tr>`;
}

/** Returns the state of an event in one word, with its reason. */
function fate({ state, reason }: LedgerRow): string {
  const words = { pending: 'waiting', posted: 'posted', filtered: 'filtered', dead: 'dead letter' }[state];
  return reason === null ? words : `${words}: ${reason}`;
}
