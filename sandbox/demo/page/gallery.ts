import { type Fields, fieldsListOf, isFields } from '../../slack/json.ts';
import { type Html, html } from './html.ts';
import { botFace } from './icons.ts';
import { renderBlocks, type Surface } from './render-blocks.ts';
import type { Reader } from './render-rich-text.ts';
import { renderShell } from './shell.ts';
import { plainTextOf } from './text-object.ts';

/** A message or modal of the bot, with the name it has in the gallery. */
export type GalleryCase = { readonly title: string; readonly message: Fields };

/** Every message the bot can post, one below the other. Every channel in them is called plans. */
export function renderGallery(cases: readonly GalleryCase[], looking: { zone: string; now: Date }): Html {
  const channels = [...new Set(JSON.stringify(cases).match(/(?<=<#)C\w+/g))];
  const reader: Reader = { ...looking, users: [], channels: channels.map((id) => ({ id, name: 'plans' })) };
  const drawn = cases.map(({ title, message }, index) => {
    const surface: Surface = { id: `g${index}`, reader, choices: { users: [], channels: [] } };
    const picture = message.type === 'modal' ? modal(message, surface) : post(message, surface);
    return html`<li id="case-${index}" data-title="${title}"><h2>${title}</h2>${picture}</li>`;
  });
  const links = cases.map(
    ({ title }, index) => html`<li data-title="${title}"><a href="#case-${index}">${title}</a></li>`,
  );
  const body = html`<header class="top dark-side"><a class="brand" href="/">${botFace}<span>Plancast</span><small>all messages</small></a><p class="about">${cases.length} messages and forms, as Slack shows them. Their buttons do nothing here.</p><a class="gallery-link" href="/">Back to the demo</a></header>
<div class="panes gallery">
<nav class="dark-side" aria-label="Messages"><p class="find"><label for="find">Find</label><input type="search" id="find" autocomplete="off"></p><ul>${links}</ul></nav>
<main><h1 class="spoken">All messages</h1><ol class="cases">${drawn}</ol></main>
</div>`;
  return renderShell({ title: 'All messages of Plancast', script: 'gallery.js', body });
}

function post({ blocks }: Fields, surface: Surface): Html {
  const drawn = renderBlocks(fieldsListOf(blocks), surface);
  return html`<div class="message">${botFace}<div class="body"><div class="head"><b>Plancast</b> <span class="app">APP</span></div><div class="blocks">${drawn}</div></div></div>`;
}

function modal({ title, submit, close, blocks }: Fields, surface: Surface): Html {
  const button = (label: unknown, style: string): Html | false =>
    isFields(label) && html`<button type="button" class="btn${style}">${plainTextOf(label)}</button>`;
  return html`<div class="modal picture"><header><h3>${plainTextOf(title)}</h3></header><div class="blocks">${renderBlocks(fieldsListOf(blocks), surface)}</div><footer>${button(close, '')}${button(submit, ' primary')}</footer></div>`;
}
