import { type Html, html } from './html.ts';
import { botFace } from './icons.ts';
import type { Regions } from './screen.ts';

const STYLES = ['page', 'channel', 'blocks', 'service', 'gallery'];

/** Renders a whole page. The body's id is for the block renderer: its styles apply only below it. */
export function renderShell({ title, script, body }: { title: string; script: string; body: Html }): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/face.svg" type="image/svg+xml">
${STYLES.map((name) => html`<link rel="stylesheet" href="/${name}.css">`)}
<script type="module" src="/${script}"></script>
</head>
<body id="slack_blocks_to_jsx">
${body}
</body>
</html>
`;
}

/** Renders the demo's page. */
export function renderPage(regions: Regions): Html {
  const { status, tools, tabs, sidebar, head, guide, log, compose, dialog, service } = regions;
  const body = html`<a class="skip" href="#log">Skip to the messages</a>
<header class="top dark-side"><a class="brand" href="/">${botFace}<span>Plancast</span><small>demo</small></a><div id="status" class="status">${status}</div><div class="tools"><div id="tools">${tools}</div><button type="button" class="top-button" data-reset>Reset</button><a class="gallery-link" href="/gallery">All messages</a></div></header>
<nav id="tabs" class="halves dark-side" aria-label="Slack and service">${tabs}</nav>
<div class="panes demo">
<nav id="sidebar" class="sidebar dark-side" aria-label="Practice Slack">${sidebar}</nav>
<main class="stage">
<section class="channel" aria-label="Channel"><header id="head" class="channel-head">${head}</header><div id="guide" class="guide-place">${guide}</div><div id="log" class="log" tabindex="0" role="group" aria-label="Messages">${log}</div><div id="compose" class="compose">${compose}</div></section>
<section id="service" class="service" aria-label="Practice service">${service}</section>
</main>
</div>
<dialog id="dialog" aria-labelledby="modal-title">${dialog}</dialog>
<dialog id="confirm" class="confirm" aria-labelledby="confirm-title"><form method="dialog"><h2 id="confirm-title"></h2><p></p><footer><button class="btn" value="no"></button><button class="btn" value="yes"></button></footer></form></dialog>
<div id="toast" class="toast" role="alert"></div>`;
  return renderShell({ title: 'Plancast demo', script: 'demo.js', body });
}
