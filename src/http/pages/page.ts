import { clean } from '../../messages/text/escape.ts';

/** Markup that is already escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Html | readonly Html[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Template tag that makes markup. What is not `Html` is escaped for text and quoted attributes, and loses invisible characters. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(strings.reduce((text, part, index) => text + textOf(values[index - 1] ?? '') + part));
}

function textOf(value: Value): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map((piece) => piece.text).join('');
  return clean(String(value)).replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** The bot's icon. It is decorative, since its name is next to it. */
const icon = html`<svg viewBox="0 0 36 36" width="36" height="36" aria-hidden="true"><rect width="36" height="36" rx="8" fill="#0f766e"/><path d="M9 26V12l9-4 9 4v14" fill="none" stroke="#fff" stroke-width="2.4" stroke-linejoin="round"/><path d="M14 26v-8h8v8" fill="none" stroke="#99f6e4" stroke-width="2.4" stroke-linejoin="round"/></svg>`;

/** Returns a whole page. `title` is its only heading, and the browser's tab shows it before the bot's name. */
export function page({ title, body }: { readonly title: string; readonly body: Html }): string {
  // The stylesheet is not escaped: its hash must match the Content-Security-Policy.
  const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<style>${style}</style>`;
  const rest = html`
<title>${title} · Plancast</title>
</head>
<body>
<main>
<p class="brand">${icon}<span>Plancast</span></p>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return head + rest.text;
}

/** Returns a link that looks like a button. */
export function buttonLink(href: string, label: string): Html {
  return html`<a class="button" href="${href}">${label}</a>`;
}

/** Returns the line with the reference under which the log has the details; nothing without one. */
export function referenceLine(reference: string | undefined): Html {
  return reference === undefined ? html`` : html`<p class="quiet">Reference for your admin: ${reference}</p>`;
}

/** Where in Slack a page leads back to: a channel, or the app in a workspace; just Slack if null. */
export type SlackPlace = {
  readonly teamId: string;
  readonly channelId: string | null;
  readonly appId?: string | null | undefined;
} | null;

/** Returns the button that opens the Slack app, with a link to Slack in the browser for people without the app. */
export function openSlack(place: SlackPlace): Html {
  const [app, browser] = slackAddresses(place);
  return html`${buttonLink(app, 'Open Slack')}
<p class="quiet center"><a href="${browser}">Open Slack in the browser</a></p>`;
}

function slackAddresses(place: SlackPlace): readonly [string, string] {
  if (place === null) return ['slack://open', 'https://app.slack.com/client'];
  const team = encodeURIComponent(place.teamId);
  const browser = `https://app.slack.com/client/${team}`;
  const { channelId, appId } = place;
  if (channelId !== null) {
    const channel = encodeURIComponent(channelId);
    return [`slack://channel?team=${team}&id=${channel}`, `${browser}/${channel}`];
  }
  const app =
    appId == null ? `slack://open?team=${team}` : `slack://app?team=${team}&id=${encodeURIComponent(appId)}`;
  return [app, browser];
}

/** The stylesheet of all pages, inlined in each. Its hash is in the Content-Security-Policy. */
export const style = `
:root { color-scheme: light dark; --paper: #f1f6f5; --card: #fff; --ink: #14211f; --quiet: #51625f; --line: #d5e2df;
  --accent: #0f766e; --accent-hover: #0b5f58; --on-accent: #fff; --soft: #edf7f5; --focus: #1d4ed8; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #0e1514; --card: #172120; --ink: #e8f1ef; --quiet: #a3b5b2; --line: #2b3a38;
    --accent: #2dd4bf; --accent-hover: #5eead4; --on-accent: #05302c; --soft: #1d2c2a; --focus: #93b4ff; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem; background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
main { max-width: 31rem; margin: 7vh auto 0; padding: 2rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .875rem; }
.brand { display: flex; align-items: center; gap: .625rem; margin: 0 0 1.5rem; font-weight: 600; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; }
p { margin: 0 0 1rem; text-wrap: pretty; }
main > :last-child, form { margin-bottom: 0; }
.warning { padding: .75rem 1rem; border-radius: .5rem; background: var(--soft); }
.quiet { color: var(--quiet); font-size: .9375rem; }
.center { text-align: center; }
.code { margin: 1.25rem 0; padding: 1rem; border-radius: .5rem; background: var(--soft); text-align: center;
  font: 600 2.25rem/1.2 ui-monospace, Menlo, Consolas, monospace; letter-spacing: .2em; text-indent: .2em; }
button, .button { display: block; width: 100%; margin: 1.5rem 0 1rem; padding: .75rem 1rem; border: 2px solid transparent;
  border-radius: .5rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600;
  text-align: center; text-decoration: none; cursor: pointer; }
button:hover, .button:hover { background: var(--accent-hover); }
a { color: var(--accent); text-underline-offset: .15em; }
a.button { color: var(--on-accent); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 3px; }
kbd { padding: .05em .3em; border: 1px solid var(--line); border-radius: .25rem; background: var(--soft); white-space: nowrap;
  font: .9em ui-monospace, Menlo, Consolas, monospace; }
.spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 30rem) {
  body { padding: 0; background: var(--card); }
  main { margin: 0; padding: 1.5rem 1.25rem; border: 0; }
}
@media (forced-colors: active) { button, .button { border-color: ButtonText; } }
`;
