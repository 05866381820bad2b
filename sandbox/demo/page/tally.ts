import type { Tally } from '../ledger.ts';
import { type Html, html } from './html.ts';

/** Renders how many notifications are in each state, as a bar and in words. */
export function renderTally({
  made,
  accepted,
  posted,
  filtered,
  waiting,
  dead,
  lost,
  messages,
}: Tally): Html {
  const inMessages = messages > 0 && ` in ${count(messages, 'message')}`;
  const parts = [
    html`<b>${number(made)}</b> sent`,
    html`<b>${number(accepted)}</b> accepted`,
    html`<b>${number(posted)}</b> posted${inMessages}`,
    ...(filtered > 0 ? [html`<b>${number(filtered)}</b> filtered`] : []),
    ...(waiting > 0 ? [html`<b>${number(waiting)}</b> waiting`] : []),
    ...(dead > 0 ? [html`<b>${number(dead)}</b> dead letters`] : []),
    html`<b>${number(lost)}</b> lost`,
  ];
  const items = parts.map((part) => html`<li>${part}</li>`);
  return html`<progress max="${Math.max(made, 1)}" value="${posted + filtered}" aria-label="Posted or filtered"></progress><ul class="tally">${items}</ul>`;
}

/** `1 message`, `2,000 messages`. */
export function count(amount: number, thing: string): string {
  return `${number(amount)} ${thing}${amount === 1 ? '' : 's'}`;
}

function number(amount: number): string {
  return amount.toLocaleString('en-US');
}
