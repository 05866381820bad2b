import { shortcuts } from '../commands.ts';
import type { SlackMessage } from '../practice-states.ts';
import { type Html, html } from './html.ts';
import { botFace, icon } from './icons.ts';
import { renderBlocks, type Surface } from './render-blocks.ts';
import { renderMrkdwn } from './text-object.ts';

/** Renders one message of the bot, or of Slack itself, as an item of the channel's list. */
export function renderMessage(message: SlackMessage, surface: Surface): Html {
  const { id, via, ephemeral, edits, postedAt, threadTs } = message;
  const fromSlack = via === 'slack';
  const classes = `message${ephemeral ? ' ephemeral' : ''}${threadTs === null ? '' : ' reply'}`;
  const note = ephemeral && html`<p class="only">${icon('eye')}Only visible to you</p>`;
  const face = fromSlack ? html`<span class="face slackbot" aria-hidden="true">S</span>` : botFace;
  const name = fromSlack ? html`<b>Slackbot</b>` : html`<b>Plancast</b> <span class="app">APP</span>`;
  const isBots = !fromSlack && !ephemeral;
  const why =
    isBots &&
    html`<button type="button" class="small ask-why" data-shortcut="${shortcuts.message.callbackId}">${shortcuts.message.name}</button>`;
  const edited = edits > 0 && html` <span class="edited">(edited)</span>`;
  return html`<li class="${classes}" data-key="${id}" data-message="${id}">${note}${face}<div class="body"><div class="head">${name} ${clock(postedAt, surface.reader.zone)}${why}</div><div class="blocks">${content(message, surface)}${edited}</div></div></li>`;
}

function content({ blocks, text }: SlackMessage, surface: Surface): Html {
  if (blocks.length > 0) return renderBlocks(blocks, surface);
  return html`<div class="section"><div class="words">${renderMrkdwn(text, { verbatim: false, reader: surface.reader })}</div></div>`;
}

function clock(at: number, zone: string): Html {
  const format = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit', timeZone: zone });
  const date = new Date(at);
  return html`<time datetime="${date.toISOString()}">${format.format(date)}</time>`;
}
