import { limits } from './limits.ts';

/** Inserted next to a formatting character so that Slack does not interpret it; Slack has no escape for those. */
const zeroWidthSpace = '\u200B';
/** Replaces characters that could change the reading direction or that have no shape of their own. */
const marker = '\uFFFD';
/** A backtick cannot be escaped within code, so it is replaced by a lookalike. */
const backtickTwin = '\u02CB';

const ellipsis = '…';
const noName = '(no name)';
const pathJoint = ' › ';

/**
 * Makes third-party text safe to show: one line, no control characters, nothing invisible, no changed reading direction, no stacks of
 * combining marks. Direction overrides and other controls leave a visible marker; what is merely invisible is removed.
 */
export function clean(value: string): string {
  return (
    value
      .toWellFormed()
      // Embeddings, overrides and isolates: `invoice<RLO>fdp.exe` would read as `invoiceexe.pdf`.
      .replace(/[\u202A-\u202E\u2066-\u2069]+/gu, marker)
      .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]+/gu, '')
      .replace(/[\s\u0085\u2800]+/gu, ' ')
      .replace(/[\p{Cc}\p{Noncharacter_Code_Point}]+/gu, marker)
      .replace(/(\p{M}{4})\p{M}+/gu, '$1')
      .trim()
  );
}

/** Cuts a text at the end and adds an ellipsis, never within a surrogate pair. `max` is in UTF-16 units and includes the ellipsis. */
export function cutEnd(value: string, max: number): string {
  if (value.length <= max) return value;
  const kept = value.slice(0, max - ellipsis.length);
  return `${/[\uD800-\uDBFF]$/.test(kept) ? kept.slice(0, -1) : kept}`.trimEnd() + ellipsis;
}

/** Joins folder names, from the root down, with ` › `. A path that is too long keeps its root and its end, which readers look for. */
export function joinPath(folders: readonly string[], max: number = limits.path): string {
  const nameMax = Math.min(limits.name, Math.floor((max - ellipsis.length) / 2) - pathJoint.length);
  const names = folders.map((folder) => cutEnd(clean(folder), nameMax) || noName);
  const whole = names.join(pathJoint);
  if (whole.length <= max) return whole;
  const [root = noName, ...below] = names;
  const end: string[] = [];
  let used = root.length + pathJoint.length + ellipsis.length;
  for (const name of below.reverse()) {
    used += pathJoint.length + name.length;
    if (used > max) break;
    end.unshift(name);
  }
  return [root, ellipsis, ...end].join(pathJoint);
}

/** A name, or the folders of a path from the root down. */
type Shortened = string | readonly string[];

/** The maximum length of a text, as shown and as sent (escaped). */
export type Limit = { readonly shown: number; readonly sent: number };

const nameLimit: Limit = { shown: limits.name, sent: limits.nameEscaped };
const pathLimit: Limit = { shown: limits.path, sent: limits.pathEscaped };

/** Escapes text for a mrkdwn object with `verbatim: true`: it reads as written, without formatting, mentions or links. */
export function escapeForMrkdwn(value: Shortened, limit?: Limit): string {
  return withinLimit(value, limit, (text) => escapeEntities(unformatted(text)));
}

/** Escapes text for a message's `text`: like `escapeForMrkdwn`, but breaks up web addresses too; email addresses stay whole, to be copied. */
export function escapeForText(value: Shortened, limit?: Limit): string {
  return withinLimit(value, limit, (text) => escapeEntities(unlinked(unformatted(text))));
}

/** Slack formats only at word boundaries. */
const formatting = /(?<![\p{L}\p{N}])[*_~]|[*_~](?![\p{L}\p{N}])/gu;

/** Returns whether Slack would format something within a text. */
export const holdsFormatting = (value: string): boolean =>
  clean(value).search(formatting) >= 0 || value.includes('`');

/** Escapes text as code for mrkdwn: nothing in it is formatted or ends the code early. Empty if there is nothing to show. */
export function code(value: Shortened, limit?: Limit): string {
  const inside = withinLimit(value, limit, (text) => escapeEntities(text.replaceAll('`', backtickTwin)));
  return inside === '' ? '' : `\`${inside}\``;
}

/** Prepares text for a plain_text object. Slack interprets nothing there, so it is only cleaned and cut. */
export function plain(value: Shortened, max: number = defaultLimit(value).shown): string {
  return shorten(value, max);
}

function withinLimit(value: Shortened, limit: Limit | undefined, write: (text: string) => string): string {
  const { shown, sent } = limit ?? defaultLimit(value);
  let max = shown;
  let escaped = write(shorten(value, max));
  while (escaped.length > sent) {
    max = Math.floor(Math.min(max - 1, (max * sent) / escaped.length));
    escaped = write(shorten(value, max));
  }
  return escaped;
}

function shorten(value: Shortened, max: number): string {
  return typeof value === 'string' ? cutEnd(clean(value), max) : joinPath(value, max);
}

function defaultLimit(value: Shortened): Limit {
  return typeof value === 'string' ? nameLimit : pathLimit;
}

/**
 * Breaks up formatting characters, except between two letters or digits: Slack formats only at word boundaries, and
 * `A-101_Plan_rev_B.pdf` can still be searched for and copied.
 */
function unformatted(text: string): string {
  return text
    .replaceAll('`', backtickTwin)
    .replace(formatting, (found) => zeroWidthSpace + found + zeroWidthSpace)
    .replace(/:(?=[\p{L}\p{N}_+'-]+:)/gu, `:${zeroWidthSpace}`)
    .replace(/@(?=channel|here|everyone|group)/giu, `@${zeroWidthSpace}`)
    .replace(/^>/u, `${zeroWidthSpace}>`);
}

function unlinked(text: string): string {
  return text
    .replace(/:(?=\/\/)/gu, `:${zeroWidthSpace}`)
    .replace(/\bwww\.(?=\S)/giu, (found) => found + zeroWidthSpace);
}

/** Escapes the three characters that Slack decodes, and escapes itself in a command (Slack docs: formatting text); the ampersand first. */
export function escapeEntities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
