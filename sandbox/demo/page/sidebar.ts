import type { SlackChannel, SlackState } from '../practice-states.ts';
import { type Html, html } from './html.ts';
import { icon } from './icons.ts';
import type { LookingAt } from './looking-at.ts';

/** The latest message of each channel, by channel id: what the page's script compares with what was seen. */
export type Latest = ReadonlyMap<string, string>;

type Seen = { readonly state: SlackState; readonly looking: LookingAt; readonly latest: Latest };

/** The workspace, who one is, and the channels one is in. */
export function renderSidebar({ state, looking, latest }: Seen): Html {
  const people = state.users.filter(({ isBot }) => !isBot);
  const options = people.map(
    ({ id, realName, isGuest }) =>
      html`<option value="${id}"${id === looking.user && html` selected`}>${realName}${isGuest && ' (guest)'}</option>`,
  );
  const item = (channel: SlackChannel): Html => channelItem(channel, { looking, latest });
  const joined = state.channels.filter(({ members }) => members.includes(looking.user));
  const channels = joined.filter(({ kind }) => kind !== 'im').map(item);
  const direct = joined.filter(({ kind }) => kind === 'im').map(item);
  return html`<p class="workspace">Northwind Studio</p>
<p class="me"><label for="me">You are</label><select id="me" data-look="user">${options}</select></p>
<h2>Channels</h2><ul>${channels}</ul>
<h2>Apps</h2><ul>${direct}</ul>`;
}

function channelItem(
  { id, kind, name }: SlackChannel,
  { looking, latest }: { looking: LookingAt; latest: Latest },
): Html {
  const current = id === looking.channel && html` aria-current="page"`;
  const sign =
    kind === 'im' ? html`<span class="presence-dot"></span>` : icon(kind === 'private' ? 'lock' : 'hash');
  const label = kind === 'im' ? 'Plancast' : name;
  return html`<li data-key="${id}"><a href="?channel=${id}" data-go="${id}" data-latest="${latest.get(id) ?? ''}"${current}>${sign}<span>${label}</span></a></li>`;
}
