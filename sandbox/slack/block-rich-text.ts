import {
  anything,
  type Check,
  flag,
  integer,
  list,
  object,
  oneOf,
  required,
  string,
  typed,
} from './block-checks.ts';

const style = object({
  bold: flag,
  italic: flag,
  strike: flag,
  code: flag,
  underline: flag,
  highlight: flag,
  client_highlight: flag,
  unlink: flag,
});

function inline(fields: Record<string, Check>): Check {
  return object({ type: anything, style, ...fields });
}

const text = inline({ text: required(string(12_000)) });
const link = inline({ url: required(string(3000)), text: string(12_000, { min: 0 }), unsafe: flag });

const inlineElement = typed({
  text,
  link,
  user: inline({ user_id: required(string(255)) }),
  usergroup: inline({ usergroup_id: required(string(255)) }),
  team: inline({ team_id: required(string(255)) }),
  channel: inline({ channel_id: required(string(255)) }),
  broadcast: inline({ range: required(oneOf('here', 'channel', 'everyone')) }),
  color: inline({ value: required(string(30)) }),
  emoji: inline({
    name: required(string(100)),
    unicode: string(100),
    url: string(3000),
    skin_tone: anything,
  }),
  date: inline({
    timestamp: required(integer(0, 99_999_999_999)),
    format: required(string(200)),
    url: string(3000),
    fallback: string(200),
  }),
});

const inlineElements = required(list(inlineElement, { min: 0, max: 1000 }));
const section = object({ type: anything, elements: inlineElements });
const border = integer(0, 1);

/** Checks a `rich_text` block. */
export const richText: Check = object({
  type: anything,
  block_id: string(255),
  elements: required(
    list(
      typed({
        rich_text_section: section,
        rich_text_quote: object({ type: anything, elements: inlineElements, border }),
        rich_text_preformatted: object({
          type: anything,
          elements: required(list(typed({ text, link }), { min: 0, max: 1000 })),
          border,
          language: string(50),
        }),
        rich_text_list: object({
          type: anything,
          style: required(oneOf('bullet', 'ordered')),
          elements: required(list(typed({ rich_text_section: section }), { min: 0, max: 1000 })),
          indent: integer(0, 8),
          offset: integer(0, 100_000),
          border,
        }),
      }),
      { max: 1000 },
    ),
  ),
});
