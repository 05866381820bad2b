import { type Html, html } from './html.ts';
import type { LookingAt } from './looking-at.ts';

/** A small screen shows one half at a time; the script adds the number of new messages after Slack. */
export function renderTabs({ pane }: LookingAt): Html {
  const tab = (to: LookingAt['pane'], label: Html): Html =>
    html`<button type="button" data-do="${JSON.stringify({ look: { pane: to } })}"${to === pane && html` aria-current="page"`}>${label}</button>`;
  return html`${tab('slack', html`Slack<span class="unread-count" data-unread></span>`)}${tab('service', html`Service`)}`;
}

/** Renders the tabs of the half beside Slack. */
export function renderSides({ side }: LookingAt): Html {
  const tab = (to: LookingAt['side'], label: string): Html =>
    html`<button type="button" data-do="${JSON.stringify({ look: { side: to } })}"${to === side && html` aria-current="page"`}>${label}</button>`;
  return html`<nav class="sides" aria-label="Beside Slack">${tab('service', 'Service')}${tab('events', 'Faults and events')}</nav>`;
}
