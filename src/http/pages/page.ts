import { type Html, html } from './html.ts';
import { style } from './style.ts';

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
