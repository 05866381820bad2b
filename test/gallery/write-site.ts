import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Html, html } from '../../sandbox/demo/page/html.ts';
import type { Picture } from './manifest.ts';
import { nameOf } from './pictured.ts';

/**
 * Writes the gallery's pages into the folder of its pictures: an index with small pictures, and a page for each group. The pages need no
 * server.
 */
export async function writeSite(folder: string, pictures: readonly Picture[]): Promise<void> {
  const [style, script] = await Promise.all(
    ['browse.css', 'browse.js'].map((name) => readFile(new URL(`site/${name}`, import.meta.url), 'utf8')),
  );
  const groups = [...Map.groupBy(pictures, ({ group }) => group)];
  const links = html`<nav class="groups" aria-label="Groups">${groups.map(([group]) => html`<a href="${pageOf(group)}">${group}</a>`)}</nav>`;
  const write = (name: string, title: string, body: Html) =>
    writeFile(join(folder, name), page({ title, body, style: style ?? '', script: script ?? '' }));

  const sections = groups.map(
    ([group, inGroup]) =>
      html`<section data-group><h2><a href="${pageOf(group)}">${group}</a> <small>${inGroup.length}</small></h2><div class="index">${inGroup.map(thumbnail)}</div></section>`,
  );
  await write(
    'index.html',
    'Everything Plancast shows',
    html`<p>${pictures.length} messages, forms and pages.</p>
${tools}
${sections}`,
  );
  for (const [group, inGroup] of groups) {
    await write(
      pageOf(group),
      group,
      html`<p><a href="index.html">All groups</a></p>
${tools}
<section data-group>${inGroup.map(figure)}</section>
${links}`,
    );
  }
}

const pageOf = (group: string): string => `${nameOf(group)}.html`;
const searched = ({ title, text }: Picture): string => `${title}\n${text}`;

const tools = html`<div class="tools"><label>Find <input type="search" id="find" autocomplete="off"></label><label>Pictures <select id="scheme" autocomplete="off"><option value="system">system</option><option value="light">light</option><option value="dark">dark</option></select></label></div>
<p id="nothing" role="status"></p>`;

function image({ name, width, height }: Picture, alt: string): Html {
  return html`<picture><source srcset="dark/${name}.webp" media="(prefers-color-scheme: dark)"><img src="light/${name}.webp" alt="${alt}" width="${width}" height="${height}" loading="lazy"></picture>`;
}

function thumbnail(picture: Picture): Html {
  const { group, title, name } = picture;
  return html`<a href="${pageOf(group)}#${name}" data-text="${searched(picture)}">${image(picture, '')}<span>${title}</span></a>
`;
}

function figure(picture: Picture): Html {
  const { title, name, text } = picture;
  return html`<figure id="${name}" data-text="${searched(picture)}"><figcaption><a href="#${name}">${title}</a></figcaption>${image(picture, title)}<details><summary>Text</summary><pre>${text}</pre></details></figure>
`;
}

type Page = {
  readonly title: string;
  readonly body: Html;
  readonly style: string;
  readonly script: string;
};

function page({ title, body, style, script }: Page): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Plancast</title>
<style>
${new Html(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
<script type="module">
${new Html(script)}</script>
</body>
</html>
`.text;
}
