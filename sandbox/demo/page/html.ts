import { escaped } from '../../service/html.ts';

/** A piece of a page that is safe to be put into a page as it is. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Html | readonly Html[] | undefined | false;

/**
 * Makes a piece of a page. Whatever is put into it is escaped for text and for quoted attributes, unless it is such a
 * piece, or a list of them, itself; undefined and false leave nothing.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(strings.reduce((text, part, index) => text + textOf(values[index - 1]) + part));
}

function textOf(value: Value): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  return typeof value === 'object' ? value.map(({ text }) => text).join('') : escaped(String(value));
}
