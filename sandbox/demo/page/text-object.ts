import { type Fields, fieldsOf, stringOf } from '../../slack/json.ts';
import { type Html, html } from './html.ts';
import { readMrkdwn } from './read-mrkdwn.ts';
import { type Reader, renderWithLibrary } from './render-rich-text.ts';

/** Returns the text of a text object as is, for labels; empty if it is none. */
export function plainTextOf(object: unknown): string {
  return stringOf(fieldsOf(object).text) ?? '';
}

/** Renders a text object as Slack shows it: only mrkdwn has formatting. */
export function renderText(object: unknown, reader: Reader): Html {
  const { type, text, verbatim } = fieldsOf(object);
  if (type !== 'mrkdwn') return html`<div class="plain">${plainTextOf(object)}</div>`;
  return renderMrkdwn(String(text), { verbatim: verbatim === true, reader });
}

/** Renders Slack's mrkdwn. */
export function renderMrkdwn(
  text: string,
  { verbatim, reader }: { verbatim: boolean; reader: Reader },
): Html {
  const elements: Fields[] = readMrkdwn(text, { verbatim });
  return elements.length === 0 ? html`` : renderWithLibrary([{ type: 'rich_text', elements }], reader);
}
