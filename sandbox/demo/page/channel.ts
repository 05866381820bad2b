import { commands, shortcuts } from '../commands.ts';
import type { SlackState, SlackView } from '../practice-states.ts';
import type { Progress } from '../progress.ts';
import { type Html, html } from './html.ts';
import { icon } from './icons.ts';
import type { LookingAt } from './looking-at.ts';
import { renderBlocks, type Surface } from './render-blocks.ts';

/** Renders the channel's name, whether the bot is in it, and the tabs of the direct messages with the bot. */
export function renderChannelHead({ channel }: SlackState, { tab }: LookingAt): Html {
  if (channel === null) return html`<h1>No channel</h1><p class="presence">You’re not in this channel.</p>`;
  if (channel.kind === 'im') {
    const link = (to: LookingAt['tab'], label: string): Html =>
      html`<a href="?tab=${to}" data-tab="${to}"${to === tab && html` aria-current="page"`}>${label}</a>`;
    return html`<h1>Plancast</h1><nav class="tabs" aria-label="Plancast">${link('home', 'Home')}${link('messages', 'Messages')}</nav>`;
  }
  const act = channel.botIn ? 'remove' : 'invite';
  const label = channel.botIn ? 'Remove Plancast' : 'Invite Plancast';
  const presence = channel.botIn ? 'Plancast is here.' : 'Plancast isn’t here.';
  return html`<h1>${icon(channel.kind === 'private' ? 'lock' : 'hash')}${channel.name}</h1><p class="presence"><span>${presence}</span> <button type="button" class="small" data-slack="${act}">${label}</button></p>`;
}

/** Renders the place to type messages and commands. */
export function renderComposer(
  { channel }: SlackState,
  { tab }: LookingAt,
  { isReady, isKilled, failure }: Progress,
): Html {
  if (channel === null || (channel.kind === 'im' && tab === 'home')) return html``;
  // The app's manifest makes its messages read-only; these are Slack's words for it.
  if (channel.kind === 'im')
    return html`<p class="off">Sending messages to this app has been turned off.</p>`;
  const waiting = failure === undefined ? 'The bot is starting…' : 'The bot isn’t running.';
  const where = `#${channel.name}`;
  // Slack accepts a command even if nobody will answer it.
  const takes = isReady || isKilled;
  const placeholder = takes ? `Message ${where}` : waiting;
  const hints = commands.map(
    ({ name, description, usageHint }) =>
      html`<li role="option" id="hint-${name.slice(1)}" data-name="${name}" aria-selected="false"><b>${name}</b> <i>${usageHint}</i><small>${description}</small></li>`,
  );
  return html`<ul class="hints" id="hints" role="listbox" aria-label="Commands" hidden>${hints}</ul>
<form class="composer"><button type="button" class="shortcut" data-shortcut="subscribe"${!takes && html` disabled`}>${icon('bolt')}<span class="spoken">Shortcut: </span><span>${shortcuts.subscribe.name}</span></button><input id="line" type="text" aria-label="${takes ? `Message or command in ${where}` : waiting}" placeholder="${placeholder}" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="hints" aria-autocomplete="list" aria-describedby="usage"${!takes && html` disabled`}><button type="submit" aria-label="Send"${!takes && html` disabled`}>${icon('send')}</button></form>
<p class="usage" id="usage">Type <kbd>/</kbd> for the commands, or paste a link.</p>`;
}

/** Renders the bot's Home tab. */
export function renderHome(home: SlackView | null, surface: Omit<Surface, 'id' | 'values' | 'errors'>): Html {
  if (home === null) return html`<p class="empty">Plancast hasn’t put anything here yet.</p>`;
  const { id, blocks, values, errors } = home;
  return html`<div class="home blocks" data-view="${id}" data-key="${id}">${renderBlocks(blocks, { ...surface, id, values, errors })}</div>`;
}
