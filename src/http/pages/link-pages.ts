import type { Asker } from '../../core/linking/tickets.ts';
import { counted } from '../../messages/text/phrase.ts';
import { type Html, html, openSlack, page, type SlackPlace } from './page.ts';

/** What the last pages of linking show: the account that signed in, the Slack user, and where to return to in Slack. */
export type LinkPageFacts = {
  readonly account: string | null;
  /** Null if Slack could not be asked. */
  readonly asker: Asker | null;
  readonly place: SlackPlace;
  readonly serviceName: string;
};

const warning = html`<strong>Did someone else send you this link?</strong> Close this page: the person who sent it could act with your account.`;

/** The service's scope that lets the bot do what the page says. Any other one is shown by its name. */
const usualScope = 'full_user';

/** Returns the page that asks the person who opened a link whether to continue. Its form posts to the page's own URL. */
export function askPage(copy: {
  readonly asker: Asker;
  readonly serviceName: string;
  readonly scopes: readonly string[];
}): string {
  const { asker, serviceName, scopes } = copy;
  const others = scopes.filter((scope) => scope !== usualScope);
  const asked =
    others.length === 0
      ? 'this'
      : `this and the ${others.length === 1 ? 'scope' : 'scopes'} ${others.join(' and ')}`;
  return page({
    title: `Link Slack to ${serviceName}`,
    body: html`
<p>Sign in at ${serviceName} to link your account to the Slack user ${nameOf(asker)}.</p>
<p class="warning">${warning}</p>
<form method="post"><button type="submit">Continue to ${serviceName}</button></form>
<p class="quiet">Plancast will be able to see what you can see, and create subscriptions for you. It stores an encrypted access token,
never your password. Unlink any time with <kbd>/plancast unlink</kbd>.</p>
<p class="quiet">The next page asks you to allow ${asked}. This link works once, for 10 minutes.</p>`,
  });
}

/** Returns the page with the code. Typing it in Slack proves that the Slack user is the person at this browser. */
export function codePage(copy: LinkPageFacts & { readonly code: string; readonly minutes: number }): string {
  const { code, minutes, account, asker, place, serviceName } = copy;
  return page({
    title: 'Enter this code in Slack',
    body: html`
<p>You signed in at ${serviceName}${account === null ? '' : html` as <strong>${account}</strong>`}. To ${asker === null ? 'finish linking' : html`link the Slack user ${nameOf(asker)}`},
press <strong>Enter code</strong> in Slack, or type <kbd>/plancast link ${code}</kbd>.</p>
<p class="code"><span aria-hidden="true">${code}</span><span class="spoken">${[...code].join(' ')}</span></p>
<p class="warning">Don’t share this code. ${warning}</p>
${openSlack(place)}
<p class="quiet">The code works for ${counted(minutes, 'minute')}. It’s needed because Plancast couldn’t match the
email address of your account with your Slack profile.</p>`,
  });
}

/** Returns the page that says that linking is done. */
export function linkedPage({ account, asker, place, serviceName }: LinkPageFacts): string {
  const there = account === null ? 'your account' : html`<strong>${account}</strong>`;
  const who = asker === null ? 'You’re linked' : html`The Slack user ${nameOf(asker)} is linked`;
  return page({
    title: 'You’re linked',
    body: html`
<p>${who} to ${there} at ${serviceName}. You can go back to Slack.</p>
${openSlack(place)}
<p class="quiet">Unlink any time with <kbd>/plancast unlink</kbd>.</p>`,
  });
}

/** Returns the page that a browser shows, and asks for again, while its attempt is being finished. */
export function workingPage(): string {
  return page({
    title: 'Almost done',
    body: html`
<p>Plancast is finishing your sign-in. If this page doesn’t change within a minute, type <kbd>/plancast link</kbd> in Slack to start again.</p>`,
  });
}

/** Returns the page that says that a new link was sent in Slack. It names nobody, since anyone can hold an old link. */
export function newLinkPage(): string {
  return page({
    title: 'Your new link is in Slack',
    body: html`
<p>It’s in a direct message from Plancast, and works for 10 minutes.</p>
${openSlack(null)}`,
  });
}

function nameOf({ personName, workspaceName }: Asker): Html {
  return html`<strong>@${personName}</strong> in <strong>${workspaceName}</strong>`;
}
