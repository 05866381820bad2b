import type { PracticeAction } from '../../service/actions.ts';
import { type Html, html } from './html.ts';
import { icon } from './icons.ts';

type Asked = {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly type?: string;
};

/** Renders a button that acts at the service. */
export function actButton(label: string, action: PracticeAction, style = ''): Html {
  return html`<button type="button" class="small${style !== '' && html` ${style}`}" data-service="${JSON.stringify(action)}">${label}</button>`;
}

/**
 * Renders a field and a button that acts on its value.
 * @param action without the field's value
 */
export function actForm(label: string, action: Record<string, unknown>, asked: Asked): Html {
  const { name, label: fieldLabel, value, type = 'text' } = asked;
  return html`<form class="ask" data-service="${JSON.stringify(action)}"><label><span class="ask-label">${fieldLabel}</span><input type="${type}" name="${name}" value="${value}" required autocomplete="off"></label><button type="submit" class="small">${label}</button></form>`;
}

/** Renders a choice and a button that acts on it. */
export function actChoice(
  label: string,
  action: Record<string, unknown>,
  asked: {
    readonly name: string;
    readonly label: string;
    readonly options: readonly { readonly value: string; readonly label: string }[];
  },
): Html {
  const options = asked.options.map((each) => html`<option value="${each.value}">${each.label}</option>`);
  return html`<form class="ask" data-service="${JSON.stringify(action)}"><label><span class="ask-label">${asked.label}</span><select name="${asked.name}">${options}</select></label><button type="submit" class="small">${label}</button></form>`;
}

/** Renders the id to copy, and the button that sends the command to subscribe. */
export function following(id: string, command: string): Html {
  return html`<p class="follow"><code>${id}</code><button type="button" class="small" data-copy="${id}" aria-label="Copy the id ${id}">${icon('copy')}Copy</button></p>
<p class="follow"><button type="button" class="suggest" data-suggest-line="${command}"><code>${command}</code></button></p>`;
}
