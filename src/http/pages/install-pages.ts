import type { Installed, InstallFault } from '../../core/installing/finish-install.ts';
import { buttonLink, html, openSlack, page, referenceLine } from './page.ts';

/** What can go wrong during an installation, as shown in the browser. */
export type InstallProblem = InstallFault | 'method' | 'failure';

type InstallProblemCopy = {
  readonly status: number;
  readonly title: string;
  /** What happened, and what to do next. */
  readonly what: string;
};

const problems: Readonly<Record<InstallProblem, InstallProblemCopy>> = {
  'no-code': {
    status: 400,
    title: 'Nothing was installed yet',
    what: 'Slack sends you to this page once you approve the installation. Start with the button below.',
  },
  unknown: {
    status: 400,
    title: 'This link isn’t valid',
    what: 'It’s incomplete or was changed. Nothing was installed; start again.',
  },
  expired: {
    status: 410,
    title: 'This took too long',
    what: 'You have 10 minutes to finish an installation. Nothing was installed; start again.',
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
    // Not a 5xx: proxies replace those with their own pages, and it was not this server that failed.
    status: 424,
    title: 'Slack didn’t answer',
    what: 'The installation isn’t complete. Wait a minute, then start again.',
  },
  method: {
    status: 405,
    title: 'Open this page in your browser',
    what: 'Nothing was installed. Start again.',
  },
  failure: {
    status: 503,
    title: 'Something went wrong',
    what: 'The installation isn’t complete. Wait a minute, then start again; if it happens again, ask your Plancast admin.',
  },
};

type Start = { readonly startUrl: string };

/** Returns the page that says what went wrong and what to do next, with its status. `reference`: in the log, too. */
export function installProblemPage(
  problem: InstallProblem,
  { startUrl, reference }: Start & { readonly reference?: string | undefined },
): { readonly status: number; readonly text: string } {
  const { status, title, what } = problems[problem];
  const text = page({
    title,
    body: html`
<p>${what}</p>
${buttonLink(startUrl, 'Start again')}
${referenceLine(reference)}`,
  });
  return { status, text };
}

/** Returns the page for an admin who pressed Cancel at Slack, which is not an error. */
export function canceledPage({ startUrl }: Start): string {
  return page({
    title: 'Installation canceled',
    body: html`
<p>Nothing was installed. You can start again any time.</p>
${buttonLink(startUrl, 'Start again')}`,
  });
}

/** Returns the page that says where the bot is installed and leads there. */
export function installedPage(installed: Installed): string {
  return installed.kind === 'workspace' ? workspacePage(installed) : organizationPage(installed);
}

function workspacePage({ id, name, appId }: Installed): string {
  return page({
    title: 'Plancast is installed',
    body: html`
<p>Plancast is in <strong>${name ?? 'your workspace'}</strong>. Type <kbd>/plancast subscribe</kbd> in any channel to add its first subscription.</p>
${openSlack({ teamId: id, channelId: null, appId })}`,
  });
}

/** An organization's installation is in no workspace until an admin adds workspaces to it (Slack docs: enterprise organizations). */
function organizationPage({ id, name, appId }: Installed): string {
  const profile = appId === null ? '' : `/integrations/profile/${encodeURIComponent(appId)}/workspaces/add`;
  return page({
    title: 'Plancast is installed',
    body: html`
<p>Plancast is installed for <strong>${name ?? 'your organization'}</strong>. Choose the workspaces to add it to.</p>
${buttonLink(`https://app.slack.com/manage/${encodeURIComponent(id)}${profile}`, 'Choose workspaces')}
<p class="quiet center"><a href="slack://open">Open Slack</a></p>`,
  });
}
