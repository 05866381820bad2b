import type { SlackChannel, SlackState, SlackUser } from '../practice-states.ts';
import { people } from '../seed.ts';
import { type Html, html } from './html.ts';
import { icon } from './icons.ts';
import type { LookingAt } from './looking-at.ts';

/** The number of messages in each channel, by channel id: the page's script compares it with what was seen. */
export type Counts = ReadonlyMap<string, number>;

type Seen = { readonly state: SlackState; readonly looking: LookingAt; readonly counts: Counts };

/** Renders the workspace, the person being played, and their channels. */
export function renderSidebar({ state, looking, counts }: Seen): Html {
  const people = state.users.filter(({ isBot }) => !isBot);
  const options = people.map(
    (user) =>
      html`<option value="${user.id}"${user.id === looking.user && html` selected`}>${user.realName}${roleOf(user)}</option>`,
  );
  const item = (channel: SlackChannel): Html => channelItem(channel, { looking, counts });
  const joined = state.channels.filter(({ members }) => members.includes(looking.user));
  const channels = joined.filter(({ kind }) => kind !== 'im').map(item);
  const direct = joined.filter(({ kind }) => kind === 'im').map(item);
  return html`<p class="workspace">Northwind Studio</p>
<p class="me"><label for="me">You are</label><select id="me" data-look="user">${options}</select></p>
<div data-arrows><h2>Channels</h2><ul>${channels}</ul>
${direct.length > 0 && html`<h2>Apps</h2><ul>${direct}</ul>`}</div>`;
}

/** Returns a person's role, to show after the name. */
function roleOf({ id, isAdmin, isGuest, isStranger }: SlackUser): string {
  if (isAdmin) return ' (admin)';
  if (isGuest) return ' (guest)';
  if (isStranger) return ' (partner)';
  return id === people.lee ? ' (other email)' : '';
}

function channelItem(
  { id, kind, name }: SlackChannel,
  { looking, counts }: { looking: LookingAt; counts: Counts },
): Html {
  const current = id === looking.channel && html` aria-current="page"`;
  const sign =
    kind === 'im' ? html`<span class="presence-dot"></span>` : icon(kind === 'private' ? 'lock' : 'hash');
  const label = kind === 'im' ? 'Plancast' : name;
  return html`<li data-key="${id}"><a href="?channel=${id}" data-go="${id}" data-count="${counts.get(id) ?? 0}"${current}>${sign}<span>${label}</span></a></li>`;
}
