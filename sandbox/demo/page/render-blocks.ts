import { type Fields, fieldsListOf, fieldsOf, isFields, stringOf } from '../../slack/json.ts';
import { isGroup, type Placed, renderControl } from './control.ts';
import { type Html, html } from './html.ts';
import type { Choices } from './options.ts';
import { type Reader, renderWithLibrary } from './render-rich-text.ts';
import { plainTextOf, renderText } from './text-object.ts';

/** Where blocks are shown, and to whom. */
export type Surface = {
  /** Unique on the page; prefix of the controls' ids. */
  readonly id: string;
  readonly reader: Reader;
  readonly choices: Choices;
  /** In a view: the values of its elements, by block id and action id. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, Fields>>>> | undefined;
  /** In a view: the bot's validation errors, by block id. */
  readonly errors?: Readonly<Record<string, string>> | undefined;
};

/** Renders blocks as Slack shows them; interactive elements are native controls. */
export function renderBlocks(blocks: readonly Fields[], surface: Surface): Html {
  return html`${blocks.map((block) => renderBlock(block, surface))}`;
}

function renderBlock(block: Fields, surface: Surface): Html {
  const { reader } = surface;
  switch (block.type) {
    case 'section':
      return section(block, surface);
    case 'context':
      return html`<div class="context">${fieldsListOf(block.elements).map((element) =>
        element.type === 'image'
          ? html`<img src="${String(element.image_url)}" alt="${String(element.alt_text)}">`
          : renderText(element, reader),
      )}</div>`;
    case 'header':
      return html`<h3 class="header">${plainTextOf(block.text)}</h3>`;
    case 'divider':
      return html`<hr>`;
    case 'actions':
      return html`<div class="actions">${fieldsListOf(block.elements).map((element) =>
        renderControl(placed(element, { block, surface })),
      )}</div>`;
    case 'input':
      return input(block, surface);
    case 'data_table':
      return dataTable(block, reader);
    default:
      return html`<div class="slack_blocks_to_jsx styles_enabled">${renderWithLibrary([block], reader)}</div>`;
  }
}

function section(block: Fields, surface: Surface): Html {
  const { reader } = surface;
  const text = isFields(block.text) && html`<div class="text">${renderText(block.text, reader)}</div>`;
  const fields = fieldsListOf(block.fields).map((field) => html`<div>${renderText(field, reader)}</div>`);
  const list = fields.length > 0 && html`<div class="fields">${fields}</div>`;
  return html`<div class="section"><div class="words">${text}${list}</div>${accessory(block, surface)}</div>`;
}

function accessory(block: Fields, surface: Surface): Html | undefined {
  if (!isFields(block.accessory)) return undefined;
  const { type, image_url: source, alt_text: words } = block.accessory;
  if (type === 'image') return html`<img class="accessory" src="${String(source)}" alt="${String(words)}">`;
  const control = renderControl(placed(block.accessory, { block, surface }));
  return html`<div class="accessory">${control}</div>`;
}

/** Renders a table with column headings in its first row and one column of row headings. Slack shows it in pages; here it scrolls. */
function dataTable(
  { rows, caption, row_header_column_index: named = 0, page_size: page = 5 }: Fields,
  reader: Reader,
): Html {
  const [head = [], ...body] = Array.isArray(rows) ? rows.map(fieldsListOf) : [];
  const heads = head.map((cell) => html`<th scope="col">${cellText(cell, reader)}</th>`);
  const lines = body.map((cells) => {
    const drawn = cells.map((cell, index) => {
      const text = cellText(cell, reader);
      if (index === named) return html`<th scope="row">${text}</th>`;
      return html`<td${cell.type === 'raw_number' && html` class="number"`}>${text}</td>`;
    });
    return html`<tr>${drawn}</tr>`;
  });
  const words = String(caption);
  const pages =
    body.length > Number(page) && html`<p class="rows">${body.length} rows, ${Number(page)} a page</p>`;
  return html`<div class="data-table" role="region" aria-label="${words}" tabindex="0"><table><caption>${words}</caption><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table></div>${pages}`;
}

function cellText(cell: Fields, reader: Reader): Html {
  if (cell.type === 'rich_text') {
    return html`<div class="slack_blocks_to_jsx styles_enabled">${renderWithLibrary([cell], reader)}</div>`;
  }
  return html`${stringOf(cell.text) ?? String(cell.value ?? '')}`;
}

type Around = { readonly block: Fields; readonly surface: Surface };

function placed(element: Fields, { block, surface }: Around): Placed {
  const blockId = String(block.block_id);
  const actionId = String(element.action_id);
  return {
    element,
    blockId,
    state: surface.values?.[blockId]?.[actionId],
    // Several buttons of a block can share an action id; ids are only for controls that have a label.
    id: `${surface.id}-${blockId}-${actionId}`.replaceAll(/[^\w-]/g, '_'),
    name: plainTextOf(element.placeholder) || plainTextOf(block.text) || actionId,
    labeled: false,
    notifies: true,
    choices: surface.choices,
  };
}

function input(block: Fields, surface: Surface): Html {
  const element = fieldsOf(block.element);
  const label = plainTextOf(block.label);
  const hint = plainTextOf(block.hint);
  const error = stringOf(surface.errors?.[String(block.block_id)]);
  const optional = block.optional === true;
  const base = placed(element, { block, surface });
  const hintId = hint === '' ? undefined : `${base.id}-hint`;
  const errorId = error === undefined ? undefined : `${base.id}-error`;
  const control = renderControl({
    ...base,
    name: label,
    // A label cannot point at a group of checkboxes or radio buttons.
    labeled: !isGroup(element),
    notifies: block.dispatch_action === true,
    required: !optional,
    describedBy: [errorId, hintId].filter((id) => id !== undefined).join(' ') || undefined,
    invalid: error !== undefined,
  });
  const words = html`${label}${optional && html` <span class="optional">(optional)</span>`}`;
  const heading = isGroup(element)
    ? html`<span class="label">${words}</span>`
    : html`<label class="label" for="${base.id}">${words}</label>`;
  const below = html`${errorId !== undefined && html`<p class="error" id="${errorId}">${error}</p>`}${hintId !== undefined && html`<p class="hint" id="${hintId}">${hint}</p>`}`;
  return html`<div class="input${error !== undefined && html` wrong`}">${heading}${control}${below}</div>`;
}
