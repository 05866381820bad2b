import type { SlackView } from '../practice-states.ts';
import { type Html, html } from './html.ts';
import { icon } from './icons.ts';
import { renderBlocks, type Surface } from './render-blocks.ts';
import { plainTextOf } from './text-object.ts';

/** Renders the topmost modal of a person's screen for the page's dialog. */
export function renderModal(view: SlackView, surface: Omit<Surface, 'id' | 'values' | 'errors'>): Html {
  const { id, hash, title, submit, close, blocks, values, errors } = view;
  const submitLabel = plainTextOf(submit);
  const send = submitLabel !== '' && html`<button type="submit" class="btn primary">${submitLabel}</button>`;
  const drawn = renderBlocks(blocks, { ...surface, id, values, errors });
  return html`<form class="modal" data-view="${id}" data-key="${id}" data-hash="${hash}">
<header><h2 id="modal-title">${plainTextOf(title)}</h2><button type="button" class="quiet" data-close="all" aria-label="Close">${icon('close')}</button></header>
<div class="blocks">${drawn}</div>
<footer><button type="button" class="btn" data-close="one">${plainTextOf(close) || 'Close'}</button>${send}</footer>
</form>`;
}
