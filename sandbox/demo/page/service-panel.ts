import type { ServiceDelivery, ServiceSession, ServiceState } from '../practice-states.ts';
import { type Html, html } from './html.ts';
import type { LookingAt } from './looking-at.ts';
import { nextName } from './next-name.ts';
import { actButton, actForm, following } from './service-acts.ts';
import { renderProject, renderRow } from './service-tree.ts';

const DAY_MS = 86_400_000;
const deliveriesShown = 8;

/** Renders the practice service: the current user, its objects, their actions, and what it sent to the bot. */
export function renderServicePanel(state: ServiceState, looking: LookingAt): Html {
  const people = state.users.map(
    ({ email, name }) =>
      html`<option value="${email}"${email === looking.as && html` selected`}>${name}</option>`,
  );
  return html`<header class="service-head"><h1>Practice service</h1><p class="me"><label for="as">Done by</label><select id="as" data-look="as">${people}</select></p></header>
<p class="about">Pick something to see what can be done with it.</p>
<h2>Projects</h2><ul class="tree" data-arrows>${state.projects.map((project) => renderProject(project, looking))}</ul>
${fold('New project', actForm('Add', { action: 'create-project' }, { name: 'name', label: 'Name', value: 'Market Hall' }))}
<h2>Sessions</h2><ul class="tree" data-arrows>${state.sessions.map((session) => renderSession(session, looking))}</ul>
${fold('New session', actForm('Add', { action: 'create-session' }, { name: 'name', label: 'Name', value: 'Stair review' }))}
<h2>What it sent to the bot</h2>${renderDeliveries(state)}`;
}

function fold(title: string, inside: Html): Html {
  return html`<details class="fold" data-key="fold-${title}"><summary>${title}</summary>${inside}</details>`;
}

function renderSession(session: ServiceSession, looking: LookingAt): Html {
  const { id, name, status, documents } = session;
  const key = `session:${id}`;
  const aside = status === 'Active' ? id : `${id}, finalizing`;
  const row = { key, picture: 'session' as const, name, aside, things: () => sessionThings(session) };
  const list = documents.map((document) => renderDocument(session, { document, looking }));
  return html`<li data-key="${key}">${renderRow(row, looking)}${documents.length > 0 && html`<ul>${list}</ul>`}</li>`;
}

function sessionThings({ id, name, expires }: ServiceSession): Html {
  const session = { session: id };
  const later = new Date(Date.parse(expires) + 7 * DAY_MS).toISOString().slice(0, 10);
  return html`${following(id, `/subscribe session ${id}`)}
${actForm('Add document', { action: 'add-document', ...session }, { name: 'name', label: 'Document', value: 'Sketch.pdf' })}
${actForm('Rename', { action: 'rename-session', ...session }, { name: 'name', label: 'New name', value: nextName(name) })}
${actForm('Change', { action: 'change-expiry', ...session }, { name: 'expires', label: `Expires (now ${expires.slice(0, 10)})`, value: later, type: 'date' })}
<p class="buttons">${actButton('Finalize', { action: 'finalize-session', ...session })}${actButton('Delete session', { action: 'delete-session', ...session }, 'danger')}</p>`;
}

type Placed = { readonly document: ServiceSession['documents'][number]; readonly looking: LookingAt };

function renderDocument(session: ServiceSession, { document, looking }: Placed): Html {
  const { id, name } = document;
  const key = `document:${session.id}:${id}`;
  const remove = { action: 'delete-document', session: session.id, document: id } as const;
  const things = (): Html =>
    html`${following(id, `/subscribe document ${session.id} ${id}`)}<p class="buttons">${actButton('Delete', remove, 'danger')}</p>`;
  return html`<li data-key="${key}">${renderRow({ key, picture: 'file', name, things }, looking)}</li>`;
}

/** Renders the raw notifications. */
function renderDeliveries({ subscriptions, deliveries }: ServiceState): Html {
  const count = subscriptions.length;
  const followed = `${count === 1 ? '1 subscription' : `${count} subscriptions`} at the service.`;
  const items = deliveries.slice(-deliveriesShown).reverse().map(renderDelivery);
  const list = items.length > 0 ? html`<ul class="deliveries">${items}</ul>` : html``;
  return html`<p class="about">${followed}${items.length === 0 && ' Nothing sent yet.'}</p>${list}`;
}

function renderDelivery({ id, attempts, state, notifications }: ServiceDelivery): Html {
  const [first] = notifications;
  const { EventType, ResourceType, Name } = (first?.ExtraInformation ?? {}) as Record<string, unknown>;
  const status = attempts.at(-1)?.status ?? state;
  return html`<li data-key="delivery-${id}"><details data-key="delivery-details-${id}"><summary>${String(EventType)} ${String(Name)} <small>${String(ResourceType)}, answered ${String(status)}</small></summary><pre tabindex="0">${JSON.stringify(first, null, 2)}</pre></details></li>`;
}
