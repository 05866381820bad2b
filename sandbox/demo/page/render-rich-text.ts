import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { type Block, Message, type MessageProps } from 'slack-blocks-to-jsx';
import type { Fields } from '../../slack/json.ts';
import { Html } from './html.ts';
import { type Looking, slackDate } from './slack-date.ts';

/** The names that a message refers to, and where and when it is read. */
export type Reader = Looking & {
  readonly users: readonly { readonly id: string; readonly name: string }[];
  readonly channels: readonly { readonly id: string; readonly name: string }[];
};

/** The renderer's wrapper around the blocks: an id, which must be unique on a page, and a column of 600 pixels. */
const WRAPPER = /^.*?<div class="slack_blocks_to_jsx--blocks">(.*)<\/div><\/div><\/div>$/s;

/**
 * Renders blocks without interactive elements.
 * @throws Error if the renderer's output no longer has its known form
 */
export function renderWithLibrary(blocks: readonly Fields[], reader: Reader): Html {
  const hooks: MessageProps['hooks'] = {
    date: ({ timestamp, format }) => {
      const shown = slackDate(Number(timestamp), format, reader);
      return createElement('time', { dateTime: new Date(Number(timestamp) * 1000).toISOString() }, shown);
    },
  };
  const markup = renderToStaticMarkup(
    createElement(Message, {
      blocks: blocks as unknown as Block[],
      name: '',
      logo: '',
      withoutWrapper: true,
      data: { users: [...reader.users], channels: [...reader.channels] },
      hooks,
    }),
  );
  const [, drawn] = WRAPPER.exec(markup) ?? [];
  if (drawn === undefined)
    throw new Error(`The block renderer's output has a new form: ${markup.slice(0, 200)}`);
  return new Html(drawn);
}
