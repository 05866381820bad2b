import { type Fields, fieldsListOf, isFields } from '../../slack/json.ts';
import { type Html, html } from './html.ts';
import { botFace } from './icons.ts';
import type { Choices } from './options.ts';
import { renderBlocks, type Surface } from './render-blocks.ts';
import type { Reader } from './render-rich-text.ts';
import { renderShell } from './shell.ts';
import { plainTextOf } from './text-object.ts';

/** Everything the bot can show: messages, modals and Home tabs, by topic. */
export type Gallery = {
  /** ISO 8601: the moment of reading, because some texts say "today". */
  readonly now: string;
  /** The people that can be chosen in forms. */
  readonly people: readonly { readonly userId: string; readonly name: string }[];
  readonly groups: readonly {
    readonly name: string;
    readonly cases: readonly { readonly title: string; readonly message: Fields }[];
  }[];
};

/** One rendered case. */
export type Drawn = { readonly group: string; readonly title: string; readonly picture: Html };

/** Renders all of it for a reader in this time zone. */
export function drawGallery({ now, people, groups }: Gallery, zone: string): Drawn[] {
  const choices = choicesOf({ people, groups });
  const users = people.map(({ userId, name }) => ({ id: userId, name }));
  const reader: Reader = { zone, now: new Date(now), users, channels: choices.channels };
  const cases = groups.flatMap(({ name, cases: inGroup }) => inGroup.map((one) => ({ group: name, ...one })));
  return cases.map(({ group, title, message }, index) => {
    const surface: Surface = { id: `g${index}`, reader, choices };
    return { group, title, picture: drawOne(message, surface) };
  });
}

function choicesOf({ people, groups }: Pick<Gallery, 'people' | 'groups'>): Choices {
  const channelIds = [...new Set(JSON.stringify(groups).match(/\bC0\w+/g))];
  return {
    users: people.map(({ userId, name }) => ({
      id: userId,
      realName: name,
      tz: 'UTC',
      isGuest: false,
      isAdmin: false,
      isStranger: false,
      isBot: false,
    })),
    channels: channelIds.map((id) => ({
      id,
      name: channelName(id),
      kind: 'public',
      botIn: true,
      members: [],
    })),
  };
}

/** Returns the name that the gallery gives a channel: plans for `C0PLANS001`, many-12 for `C0MANY12`. */
export function channelName(channelId: string): string {
  const [, word = channelId, number = ''] = /^C0([A-Z]+)0*(\d*)$/.exec(channelId) ?? [];
  return `${word.toLowerCase()}${number === '' || number === '1' ? '' : `-${number}`}`;
}

/** Renders a page with all of it, top to bottom. */
export function renderGallery(gallery: Gallery, zone: string): Html {
  const all = drawGallery(gallery, zone).map((drawn, index) => ({ ...drawn, id: `case-${index}` }));
  const groups = [...Map.groupBy(all, ({ group }) => group)];
  const links = groups.map(
    ([name, cases]) =>
      html`<li data-group><b>${name}</b><ul>${cases.map(({ id, title }) => html`<li data-title="${title}"><a href="#${id}">${title}</a></li>`)}</ul></li>`,
  );
  const pictures = groups.map(
    ([name, cases]) =>
      html`<section data-group><h2>${name}</h2><ol class="cases">${cases.map(({ id, title, picture }) => html`<li id="${id}" data-title="${title}"><h3>${title}</h3>${picture}</li>`)}</ol></section>`,
  );
  const body = html`<header class="top dark-side"><a class="brand" href="/">${botFace}<span>Plancast</span><small>all messages</small></a><p class="about">${all.length} messages and forms, as Slack shows them. Their buttons do nothing here.</p><a class="gallery-link" href="/">Back to the demo</a></header>
<div class="panes gallery">
<nav class="dark-side" aria-label="Messages"><p class="find"><label for="find">Find</label><input type="search" id="find" autocomplete="off"></p><ul>${links}</ul></nav>
<main><h1 class="spoken">All messages</h1><p class="nothing" role="status"></p>${pictures}</main>
</div>`;
  return renderShell({ title: 'All messages of Plancast', script: 'gallery.js', body });
}

/** Renders a single message, modal or Home tab. */
export function drawOne(message: Fields, surface: Surface): Html {
  switch (message.type) {
    case 'modal':
      return modal(message, surface);
    case 'home':
      return html`<div class="picture home blocks">${renderBlocks(fieldsListOf(message.blocks), surface)}</div>`;
    default:
      return html`<div class="picture message">${renderPost(message, surface)}</div>`;
  }
}

/** Renders a message of the bot as the channel's list shows it. */
function renderPost({ blocks }: Fields, surface: Surface): Html {
  const drawn = renderBlocks(fieldsListOf(blocks), surface);
  return html`${botFace}<div class="body"><div class="head"><b>Plancast</b> <span class="app">APP</span></div><div class="blocks">${drawn}</div></div>`;
}

function modal({ title, submit, close, blocks }: Fields, surface: Surface): Html {
  const button = (label: unknown, style: string): Html | false =>
    isFields(label) && html`<button type="button" class="btn${style}">${plainTextOf(label)}</button>`;
  return html`<div class="picture modal"><header><h4>${plainTextOf(title)}</h4></header><div class="blocks">${renderBlocks(fieldsListOf(blocks), surface)}</div><footer>${button(close, '')}${button(submit, ' primary')}</footer></div>`;
}
