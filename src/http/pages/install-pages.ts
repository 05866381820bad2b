import type { Installed, InstallFault } from '../../core/access/install.ts';
import { type Html, html } from './html.ts';
import { page } from './page.ts';

/** What can go wrong on the way to an installation, as far as a browser sees it. */
export type InstallProblem = InstallFault | 'limited' | 'method' | 'failure';

type Copy = {
  readonly status: number;
  readonly title: string;
  /** What happened, and how to go on. */
  readonly what: string;
};

const problems: Readonly<Record<InstallProblem, Copy>> = {
  'no-code': {
    status: 400,
    title: 'Slack’s answer is missing',
    what: 'Slack sends you here after you approve the installation. Nothing was installed; start again.',
  },
  unknown: {
    status: 400,
    title: 'This link isn’t valid',
    what: 'It’s incomplete, or it was changed on the way. Nothing was installed; start again.',
  },
  expired: {
    status: 410,
    title: 'This took too long',
    what: 'An installation has to be finished within 10 minutes. Nothing was installed; start again.',
  },
  foreign: {
    status: 403,
    title: 'This started in another browser',
    what: 'Nothing was installed. If someone sent you this link, close this page; if you’re installing Plancast yourself, start again here.',
  },
  used: {
    status: 410,
    title: 'This link was already used',
    what: 'It works once. If Plancast isn’t in your Slack workspace yet, start again.',
  },
  refused: {
    status: 400,
    title: 'Slack didn’t complete the installation',
    what: 'Slack no longer accepts this approval. Start again.',
  },
  unavailable: {
    // Not a 5xx: proxies put pages of their own in place of those, and it isn't this server that failed.
    status: 424,
    title: 'Slack didn’t answer',
    what: 'The installation isn’t complete. Wait a minute, then start again.',
  },
  limited: {
    status: 429,
    title: 'Too many attempts',
    what: 'Wait a minute, then start again.',
  },
  method: {
    status: 405,
    title: 'This page can only be opened',
    what: 'Nothing was installed. Start the installation in your browser.',
  },
  failure: {
    status: 503,
    title: 'Something went wrong',
    what: 'The installation isn’t complete. Wait a minute, then start again; if it happens again, ask your Plancast admin.',
  },
};

type Start = { readonly startUrl: string };

/**
 * The page that says what went wrong and how to go on, with its status.
 *
 * @param more `startUrl` starts an installation; `reference` is what an admin finds in the log
 */
export function installProblemPage(
  problem: InstallProblem,
  { startUrl, reference }: Start & { readonly reference?: string | undefined },
): { readonly status: number; readonly text: string } {
  const { status, title, what } = problems[problem];
  const text = page({
    title,
    body: html`
<p>${what}</p>
${button(startUrl, 'Start again')}
${reference === undefined ? '' : html`<p class="quiet">Reference for your admin: ${reference}</p>`}`,
  });
  return { status, text };
}

/** The admin pressed Cancel at Slack: nothing went wrong. */
export function canceledPage({ startUrl }: Start): string {
  return page({
    title: 'Installation canceled',
    body: html`
<p>Nothing was installed. If you change your mind, try again.</p>
${button(startUrl, 'Try again')}`,
  });
}

/** Says where the bot is installed now, and leads there. */
export function installedPage(installed: Installed): string {
  return installed.kind === 'workspace' ? workspacePage(installed) : organizationPage(installed);
}

function workspacePage({ id, name, appId }: Installed): string {
  const team = encodeURIComponent(id);
  // Slack: with an app's id its Home tab opens, without one Slack itself.
  const target =
    appId === null ? `slack://open?team=${team}` : `slack://app?team=${team}&id=${encodeURIComponent(appId)}`;
  return page({
    title: 'Plancast is installed',
    body: html`
<p>Plancast is in <strong>${name ?? 'your workspace'}</strong>. In any channel, type <kbd>/plancast subscribe</kbd> to follow a project or session.</p>
${button(target, 'Open Slack')}
<p class="quiet"><a href="https://app.slack.com/client/${team}">Open Slack in the browser</a></p>`,
  });
}

/** An organization's installation is in none of its workspaces until its admin adds them (Slack: enterprise organizations). */
function organizationPage({ id, name, appId }: Installed): string {
  const profile = appId === null ? '' : `/integrations/profile/${encodeURIComponent(appId)}/workspaces/add`;
  return page({
    title: 'Plancast is installed',
    body: html`
<p>Plancast is installed for <strong>${name ?? 'your organization'}</strong>, but not in any of its workspaces yet: choose the ones to add it to.</p>
${button(`https://app.slack.com/manage/${encodeURIComponent(id)}${profile}`, 'Choose workspaces')}
<p class="quiet"><a href="slack://open">Open Slack</a></p>`,
  });
}

function button(href: string, label: string): Html {
  return html`<a class="button" href="${href}">${label}</a>`;
}
