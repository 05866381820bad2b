import { fieldsListOf } from '../../slack/json.ts';
import { type ShortcutId, shortcuts } from '../commands.ts';
import type { SlackMessage } from '../practice-states.ts';
import { type Html, html } from './html.ts';
import { botFace, icon } from './icons.ts';
import { renderBlocks, type Surface } from './render-blocks.ts';
import { renderMrkdwn } from './text-object.ts';

/** Renders one message of the bot, a person or Slack itself, as an item of the channel's list. */
export function renderMessage(message: SlackMessage, surface: Surface): Html {
  const { id, via, ephemeral, edits, postedAt, threadTs, author } = message;
  const fromSlack = via === 'slack';
  const fromPerson = via === 'person';
  const classes = `message${ephemeral ? ' ephemeral' : ''}${threadTs === null ? '' : ' reply'}`;
  const note = ephemeral && html`<p class="only">${icon('eye')}Only visible to you</p>`;
  const initial = fromSlack ? 'S' : author.name.charAt(0);
  const face =
    fromSlack || fromPerson
      ? html`<span class="face slackbot" aria-hidden="true">${initial}</span>`
      : botFace;
  const name = fromSlack
    ? html`<b>Slackbot</b>`
    : fromPerson
      ? html`<b>${author.name}</b>`
      : html`<b>Plancast</b> <span class="app">APP</span>`;
  const menu = fromPerson
    ? /https?:/.test(message.text) && shortcut('follow')
    : !fromSlack && !ephemeral && shortcut('why');
  const edited = edits > 0 && html` <span class="edited">(edited)</span>`;
  return html`<li class="${classes}" data-key="${id}" data-message="${id}">${note}${face}<div class="body"><div class="head">${name} ${clock(postedAt, surface.reader.zone)}${menu}</div><div class="blocks">${content(message, surface)}${edited}</div>${previews(message, surface)}</div></li>`;
}

function shortcut(id: ShortcutId): Html {
  return html`<button type="button" class="small ask-why" data-shortcut="${id}">${shortcuts[id].name}</button>`;
}

/** Renders the previews below a message that a person wrote. */
function previews({ attachments }: SlackMessage, surface: Surface): Html {
  return html`${attachments.map(
    ({ id, blocks }) =>
      html`<div class="preview blocks">${renderBlocks(fieldsListOf(blocks), { ...surface, id: `${surface.id}-${String(id)}` })}</div>`,
  )}`;
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
