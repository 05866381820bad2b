import { type Fields, isFields, stringOf } from './json.ts';

export interface Mention {
  kind: 'user' | 'usergroup' | 'broadcast' | 'channel';
  /** The id, or `here`, `channel`, `everyone`. */
  id: string;
  /** True if Slack derived it from plain text (`@channel`, `#plans`), false if it was markup. */
  auto: boolean;
  /** JSON pointer to the text. */
  where: string;
}

export interface Link {
  /** Source: markup, plain text that looks like an address, a rich text element, a button or an image. */
  kind: 'text' | 'auto' | 'rich_text' | 'button' | 'image';
  url: string;
  label: string | undefined;
  where: string;
}

/** Everything in a message that notifies people or links somewhere. */
export interface LiveParts {
  mentions: Mention[];
  links: Link[];
  /** Unescaped `<…>` that has no meaning in Slack: how it is displayed is undefined. */
  oddities: { raw: string; where: string }[];
}

/** Names that Slack looks up when it parses plain text: name to id. */
export interface KnownNames {
  users: ReadonlyMap<string, string>;
  channels: ReadonlyMap<string, string>;
}

export interface LiveContent {
  text?: unknown;
  blocks?: unknown;
  attachments?: unknown;
  /** The `parse` argument of `chat.postMessage`. */
  parse?: unknown;
  linkNames?: boolean | undefined;
}

interface Reading {
  found: LiveParts;
  known: KnownNames;
}

interface TextToRead {
  text: string;
  where: string;
  /** Whether bare addresses become links. */
  autoLinks: boolean;
  /** Whether `@name` and `#name` become mentions. */
  autoNames: boolean;
}

const CONTROL_SEQUENCE = /<([^<>]*)>/g;
const BARE_ADDRESS = /(?:https?:\/\/|www\.)[^\s<>|]+/gi;
const BARE_EMAIL = /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
const BARE_NAME = /(?<![\w&/@#])([@#])([\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?)/gu;
const MARKDOWN_LINK = /\[([^\][]*)\]\(\s*<?([a-z][a-z0-9+.-]*:[^\s)>]*)/gi;
const BROADCASTS = new Set(['here', 'channel', 'everyone']);

/** The control sequences of docs.slack.dev "Formatting message text", each with the live part it creates. */
const SEQUENCES: { form: RegExp; add: (match: RegExpExecArray, where: string, found: LiveParts) => void }[] =
  [
    {
      form: /^@([UW][A-Z0-9]+)(?:\|.*)?$/,
      add: ([, id = ''], where, { mentions }) => mentions.push({ kind: 'user', id, auto: false, where }),
    },
    {
      form: /^#([A-Z][A-Z0-9]+)(?:\|.*)?$/,
      add: ([, id = ''], where, { mentions }) => mentions.push({ kind: 'channel', id, auto: false, where }),
    },
    {
      form: /^!subteam\^([A-Z0-9]+)/,
      add: ([, id = ''], where, { mentions }) => mentions.push({ kind: 'usergroup', id, auto: false, where }),
    },
    {
      form: /^!(here|channel|everyone)(?:\|.*)?$/,
      add: ([, id = ''], where, { mentions }) => mentions.push({ kind: 'broadcast', id, auto: false, where }),
    },
    {
      form: /^!date\^\d+\^[^^|]+(?:\^([^|]*))?\|(.*)$/s,
      add: ([, url, label], where, { links }) => {
        if (url !== undefined) links.push({ kind: 'text', url, label, where });
      },
    },
    {
      form: /^([a-z][a-z0-9+.-]*:[^|]+)(?:\|(.*))?$/is,
      add: ([, url = '', label], where, { links }) => links.push({ kind: 'text', url, label, where }),
    },
  ];

function readControl(inner: string, where: string, found: LiveParts): void {
  for (const { form, add } of SEQUENCES) {
    const match = form.exec(inner);
    if (match === null) continue;
    add(match, where, found);
    return;
  }
  found.oddities.push({ raw: `<${inner}>`, where });
}

function readNames(text: string, where: string, { found, known }: Reading): void {
  for (const [, sign, name = ''] of text.matchAll(BARE_NAME)) {
    if (sign === '#') {
      const id = known.channels.get(name);
      if (id !== undefined) found.mentions.push({ kind: 'channel', id, auto: true, where });
    } else if (BROADCASTS.has(name)) {
      found.mentions.push({ kind: 'broadcast', id: name, auto: true, where });
    } else {
      const id = known.users.get(name);
      if (id !== undefined) found.mentions.push({ kind: 'user', id, auto: true, where });
    }
  }
}

function readAddresses(text: string, where: string, found: LiveParts): void {
  for (const [url] of text.matchAll(BARE_ADDRESS))
    found.links.push({ kind: 'auto', url, label: undefined, where });
  const rest = text.replaceAll(BARE_ADDRESS, ' ');
  for (const [address] of rest.matchAll(BARE_EMAIL)) {
    found.links.push({ kind: 'auto', url: `mailto:${address}`, label: undefined, where });
  }
}

function readText({ text, where, autoLinks, autoNames }: TextToRead, reading: Reading): void {
  for (const [, inner = ''] of text.matchAll(CONTROL_SEQUENCE)) readControl(inner, where, reading.found);
  const words = text.replaceAll(CONTROL_SEQUENCE, ' ');
  if (autoLinks) readAddresses(words, where, reading.found);
  if (autoNames) readNames(words, where, reading);
}

function readMarkdown(text: string, where: string, reading: Reading): void {
  for (const [, label, url = ''] of text.matchAll(MARKDOWN_LINK)) {
    reading.found.links.push({ kind: 'text', url, label, where });
  }
  const rest = text.replaceAll(MARKDOWN_LINK, ' ');
  readText({ text: rest, where, autoLinks: true, autoNames: true }, reading);
}

/** Rich text elements that mention someone, by type: the field with the id, and the kind of mention. */
const RICH_TEXT_MENTIONS: Record<string, { field: string; kind: Mention['kind'] }> = {
  user: { field: 'user_id', kind: 'user' },
  usergroup: { field: 'usergroup_id', kind: 'usergroup' },
  team: { field: 'team_id', kind: 'usergroup' },
  channel: { field: 'channel_id', kind: 'channel' },
  broadcast: { field: 'range', kind: 'broadcast' },
};

/** Fields that contain an address, and the kind of link each makes. */
const ADDRESS_FIELDS: Record<string, Link['kind']> = {
  url: 'button',
  image_url: 'image',
  thumb_url: 'image',
  thumbnail_url: 'image',
  provider_icon_url: 'image',
  author_icon: 'image',
  footer_icon: 'image',
  video_url: 'button',
  title_url: 'button',
  title_link: 'button',
  author_link: 'button',
  from_url: 'button',
};

function readFields(fields: Fields, where: string, { found }: Reading): void {
  const mention = typeof fields.type === 'string' ? RICH_TEXT_MENTIONS[fields.type] : undefined;
  const id = mention === undefined ? undefined : stringOf(fields[mention.field]);
  if (mention !== undefined && id !== undefined)
    found.mentions.push({ kind: mention.kind, id, auto: false, where });
  const inRichText = fields.type === 'link' || fields.type === 'date';
  for (const [field, kind] of Object.entries(ADDRESS_FIELDS)) {
    const url = stringOf(fields[field]);
    if (url === undefined) continue;
    const label = stringOf(fields.text) ?? (isFields(fields.text) ? stringOf(fields.text.text) : undefined);
    found.links.push({ kind: inRichText ? 'rich_text' : kind, url, label, where: `${where}/${field}` });
  }
}

function walk(value: unknown, where: string, reading: Reading): void {
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) walk(entry, `${where}/${index}`, reading);
    return;
  }
  if (!isFields(value)) return;
  if (value.type === 'mrkdwn' && typeof value.text === 'string') {
    const auto = value.verbatim !== true;
    readText({ text: value.text, where, autoLinks: auto, autoNames: auto }, reading);
    return;
  }
  if (value.type === 'markdown' && typeof value.text === 'string') {
    readMarkdown(value.text, where, reading);
    return;
  }
  readFields(value, where, reading);
  for (const [key, entry] of Object.entries(value)) walk(entry, `${where}/${key}`, reading);
}

const LEGACY_TEXTS = ['text', 'pretext', 'title', 'fallback', 'footer', 'value'];

function readAttachment(attachment: unknown, where: string, reading: Reading): void {
  if (!isFields(attachment)) return;
  for (const key of LEGACY_TEXTS) {
    const text = stringOf(attachment[key]);
    if (text !== undefined)
      readText({ text, where: `${where}/${key}`, autoLinks: true, autoNames: true }, reading);
  }
  const { fields, ...rest } = attachment;
  if (Array.isArray(fields)) {
    for (const [index, field] of fields.entries()) readAttachment(field, `${where}/fields/${index}`, reading);
  }
  walk(rest, where, reading);
}

const nobody: KnownNames = { users: new Map(), channels: new Map() };

/**
 * Returns the live parts of a message, parsed as Slack parses it: control sequences in `text` and in every mrkdwn object; bare addresses,
 * `@here` and names in mrkdwn objects without `verbatim` and in markdown blocks; rich text elements; addresses of buttons and images. In
 * the top-level `text`, bare addresses count only without blocks (with blocks, it is shown only in notifications) and names only with
 * `parse: full` or `link_names`. Entities (`&lt;!channel&gt;`) are never decoded twice.
 */
export function findLiveParts(content: LiveContent, known: KnownNames = nobody): LiveParts {
  const reading: Reading = { found: { mentions: [], links: [], oddities: [] }, known };
  const hasBlocks = Array.isArray(content.blocks) && content.blocks.length > 0;
  if (typeof content.text === 'string') {
    readText(
      {
        text: content.text,
        where: '/text',
        autoLinks: !hasBlocks && content.parse !== 'none',
        autoNames: content.parse === 'full' || content.linkNames === true,
      },
      reading,
    );
  }
  walk(content.blocks, '/blocks', reading);
  if (Array.isArray(content.attachments)) {
    for (const [index, attachment] of content.attachments.entries()) {
      readAttachment(attachment, `/attachments/${index}`, reading);
    }
  }
  return reading.found;
}
