import { limits } from './limits.ts';

/** Put beside a character of formatting so that Slack does not take it for one; Slack has no escape for them. */
const zeroWidthSpace = '\u200B';
/** Stands where something was that could turn the reading direction or has no form of its own. */
const marker = '\uFFFD';
/** A backtick within code cannot be broken up, so it is shown as its twin. */
const backtickTwin = '\u02CB';

const ellipsis = '…';
const noName = '(no name)';
const pathJoint = ' › ';

/**
 * Third-party text as it may be looked at: one line, no control characters, nothing invisible, no turned reading direction, no
 * towers of combining marks. Direction overrides and other controls leave a visible marker; what is merely invisible goes.
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

/** Cuts at the end with an ellipsis, never within a surrogate pair. `max` is in UTF-16 units, the ellipsis included. */
export function cutEnd(value: string, max: number): string {
  if (value.length <= max) return value;
  const kept = value.slice(0, max - ellipsis.length);
  return `${/[\uD800-\uDBFF]$/.test(kept) ? kept.slice(0, -1) : kept}`.trimEnd() + ellipsis;
}

/**
 * Folder names from the root down as one line, ` › ` between them. Too long a path keeps its root and its end, which are what a
 * reader looks for.
 */
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
export type Shortened = string | readonly string[];

/** How long a text may get: as it is read, and as it is sent. */
export type Limit = { readonly shown: number; readonly sent: number };

const nameLimit: Limit = { shown: limits.name, sent: limits.nameEscaped };
const pathLimit: Limit = { shown: limits.path, sent: limits.pathEscaped };

/** For a mrkdwn text object with `verbatim: true`: reads as it was written, formats nothing, mentions nobody, links nothing. */
export function escapeForMrkdwn(value: Shortened, limit?: Limit): string {
  return withinLimit(value, limit, (text) => entities(unformatted(text)));
}

/**
 * For a message's `text`, where Slack makes links of addresses: as `escapeForMrkdwn`, and breaks up web addresses too. E-mail addresses
 * stay whole: they are what people recognise an account by, and copy.
 */
export function escapeForText(value: Shortened, limit?: Limit): string {
  return withinLimit(value, limit, (text) => entities(unlinked(unformatted(text))));
}

/** For mrkdwn, between backticks: nothing in it is formatted, and it does not end early. Empty where there is nothing to show. */
export function code(value: Shortened, limit?: Limit): string {
  const inside = withinLimit(value, limit, (text) => entities(text.replaceAll('`', backtickTwin)));
  return inside === '' ? '' : `\`${inside}\``;
}

/** For a plain_text object: Slack reads nothing into those, so cleaning and cutting is all. */
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
 * Formatting characters between two letters or digits stay as they are: Slack formats at the edges of words only, and
 * `A-101_Plan_rev_B.pdf` can then still be searched for and copied.
 */
function unformatted(text: string): string {
  return text
    .replaceAll('`', backtickTwin)
    .replace(
      /(?<![\p{L}\p{N}])[*_~]|[*_~](?![\p{L}\p{N}])/gu,
      (found) => zeroWidthSpace + found + zeroWidthSpace,
    )
    .replace(/:(?=[\p{L}\p{N}_+'-]+:)/gu, `:${zeroWidthSpace}`)
    .replace(/@(?=channel|here|everyone|group)/giu, `@${zeroWidthSpace}`)
    .replace(/^>/u, `${zeroWidthSpace}>`);
}

function unlinked(text: string): string {
  return text
    .replace(/:(?=\/\/)/gu, `:${zeroWidthSpace}`)
    .replace(/\bwww\.(?=\S)/giu, (found) => found + zeroWidthSpace);
}

/** Slack decodes these three and nothing else (Slack, formatting text). The ampersand goes first. */
function entities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
