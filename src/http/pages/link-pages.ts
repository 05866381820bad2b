import { type Html, html } from './html.ts';
import { page } from './page.ts';

/** How the page calls who asked for the link; null where Slack could not be asked. */
export type AskerNames = { readonly personName: string; readonly workspaceName: string } | null;

/** Asks whoever opened a link whether it is theirs. The form goes to the page's own address. */
export function askPage(words: {
  readonly asker: NonNullable<AskerNames>;
  readonly serviceName: string;
  readonly scopes: readonly string[];
}): string {
  const { asker, serviceName, scopes } = words;
  return page({
    title: `Connect Slack to ${serviceName}`,
    body: html`
<p class="who">Slack user <strong>@${asker.personName}</strong> of <strong>${asker.workspaceName}</strong> wants to connect <strong>${serviceName}</strong>. <strong>Not you? Close this page.</strong></p>
<p>If somebody sent you this link, it is they who would get to act with your account.</p>
<h2>If you go on, Plancast can</h2>
<ul>
<li>ask ${serviceName} to report what happens in the projects and sessions that you name in Slack, and that you may see</li>
<li>post those reports to the channels that you choose</li>
<li>keep a sealed key for this; your password stays with ${serviceName}</li>
</ul>
<p>It does not change or delete anything of yours. You end it with <kbd>/plancast unlink</kbd> in Slack, at any time.</p>
<form method="post"><button type="submit">Yes, this is me. Continue to ${serviceName}</button></form>
<p class="quiet">You will be asked by ${serviceName} to agree to this access: ${scopes.join(', ')}. This link works once,
for 10 minutes.</p>`,
  });
}

/** Shows the code that proves, typed in Slack, who is at this browser. */
export function codePage(words: {
  readonly code: string;
  readonly minutes: number;
  readonly account: string | null;
  readonly asker: AskerNames;
  readonly serviceName: string;
}): string {
  const { code, minutes, account, asker, serviceName } = words;
  const signedIn =
    account === null
      ? html`You agreed at ${serviceName}.`
      : html`You agreed at ${serviceName} as <strong>${account}</strong>.`;
  return page({
    title: 'One more step: type this code in Slack',
    body: html`
<p>${signedIn} ${whoseSlack(asker)}</p>
<p class="code"><span aria-hidden="true">${code}</span><span class="spoken">${[...code].join(' ')}</span></p>
<p><strong>Give it to nobody.</strong> Whoever types it gets to act with your account, and nobody who helps you needs it.</p>
<h2>Where to type it</h2>
<p>In Slack press <strong>Enter code</strong> below your command, or type
<kbd>/plancast link ${code}</kbd>. The code works for ${minutes} minutes. This page shows it once.</p>
<p class="quiet">Why a code? We could not see that the address of your account is the one in your Slack profile, so this is
how we know that both are you. If you did not ask for this in Slack, or that Slack user is not you, close this page, and nothing is
connected.</p>`,
  });
}

function whoseSlack(asker: AskerNames): Html {
  return asker === null
    ? html`To connect it, type this code in Slack yourself.`
    : html`To connect it to Slack user <strong>@${asker.personName}</strong> of
<strong>${asker.workspaceName}</strong>, type this code in Slack yourself.`;
}

/** The link is there. */
export function linkedPage(words: {
  readonly account: string | null;
  readonly asker: AskerNames;
  readonly serviceName: string;
}): string {
  return page({
    title: 'You are connected',
    body: html`
<p>${tie(words)} are connected now.</p>
<p><strong>Go back to Slack.</strong> What you asked for there goes on by itself. You can close this page.</p>
<p class="quiet">To undo this, type <kbd>/plancast unlink</kbd> in Slack.</p>`,
  });
}

/** Another account is linked already, and the question which one it is to be waits in Slack. */
export function questionPage(words: {
  readonly account: string | null;
  readonly asker: AskerNames;
  readonly serviceName: string;
}): string {
  const account = words.account === null ? html`this account` : html`<strong>${words.account}</strong>`;
  return page({
    title: 'One more step: confirm in Slack',
    body: html`
<p>You are connected to another account of ${words.serviceName} already. Nothing was changed yet.</p>
<p><strong>Go back to Slack</strong>: there is a message for you that asks whether ${account} is to take its place. The question
stands for 10 minutes.</p>`,
  });
}

function tie({ account, asker, serviceName }: Parameters<typeof linkedPage>[0]): Html {
  const there = account === null ? html`your account` : html`<strong>${account}</strong>`;
  const here =
    asker === null
      ? html`your Slack account`
      : html`Slack user <strong>@${asker.personName}</strong> of <strong>${asker.workspaceName}</strong>`;
  return html`${here} and ${there} at ${serviceName}`;
}
