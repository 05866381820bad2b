import { randomBytes } from 'node:crypto';
import type { Bot } from '../../core/bot.ts';
import type { TicketFault } from '../../core/linking/tickets.ts';
import type { LinkFault } from '../../core/model/link.ts';
import { Html, html, openSlack, page, referenceLine } from './page.ts';

/** What can go wrong during linking, as shown in the browser. */
export type Problem = TicketFault | LinkFault | 'ended' | 'stray' | 'limited' | 'foreign-form' | 'method';

type ProblemCopy = {
  /** 200 if missing. */
  readonly status?: number;
  readonly title: string;
  /** What happened, with commands as they are typed. */
  readonly what: string;
  /** What to do; missing if the person can be sent a new link. */
  readonly next?: string;
  /** What else there is to know. */
  readonly note?: string;
};

const startAgain = 'Type /plancast link in Slack to start again.';

const problems: Readonly<Record<Problem, ProblemCopy>> = {
  unknown: {
    status: 404,
    title: 'This link isn’t valid',
    what: 'It’s incomplete or too old.',
    next: startAgain,
  },
  expired: {
    status: 410,
    title: 'This link has expired',
    what: 'A link works for 10 minutes. Nothing was linked.',
  },
  used: {
    status: 410,
    title: 'This link was already used',
    what: 'A link works only once. Type /plancast status in Slack to see whether you’re linked.',
  },
  replaced: {
    status: 410,
    title: 'This link was replaced',
    what: 'There’s a newer one in Slack, or you’ve unlinked since.',
  },
  limited: {
    status: 429,
    title: 'Too many new links',
    what: 'No new link was sent.',
    next: 'Wait 10 minutes, then try again.',
  },
  ended: {
    title: 'This sign-in is over',
    what: 'It wasn’t confirmed in Slack, or your link has changed since.',
    next: 'Type /plancast link in Slack to start again, or /plancast status to see whether you’re linked.',
  },
  stray: {
    title: 'Check in Slack whether you’re linked',
    what: 'Type /plancast status there, or /plancast link to start again.',
    next: 'This page shows the result for 10 minutes, in the browser where you linked.',
    note: 'Linking fails if a step takes more than 10 minutes, if a sign-in is used twice or finished in another browser, if cookies are blocked, or while Plancast or the service is unavailable.',
  },
  denied: {
    title: 'Linking canceled',
    what: 'Nothing was linked.',
    next: 'You can start again any time with /plancast link in Slack.',
  },
  refused: {
    title: 'Linking failed',
    what: 'The sign-in wasn’t completed. Nothing was linked.',
    next: 'Type /plancast link in Slack to start again. If it fails again, contact your Plancast admin.',
  },
  'not-set-up': {
    title: 'Linking needs your admin',
    what: 'Plancast isn’t set up correctly. Ask your Plancast admin to fix it.',
    next: 'After that, type /plancast link in Slack.',
  },
  'code-expired': {
    title: 'This sign-in has expired',
    what: 'It works only once, and only for a few minutes. Nothing was linked.',
    next: startAgain,
  },
  unavailable: {
    title: 'The service isn’t available',
    what: 'The sign-in couldn’t be completed. Nothing was linked.',
    next: 'Wait a few minutes, then type /plancast link in Slack.',
  },
  'not-a-member': {
    status: 403,
    title: 'Only for full members',
    what: 'The person who asked for this link isn’t a full member of the Slack workspace. Nothing was linked.',
    next: 'Ask a full member to add the subscriptions you need.',
  },
  'other-account': {
    title: 'You’re linked to another account',
    what: 'The account you signed in with wasn’t linked, and nothing changed.',
    next: 'To switch accounts, type /plancast link in Slack and use the button in the answer.',
  },
  'foreign-form': {
    status: 403,
    title: 'This came from another page',
    what: 'Another website sent your browser here, so Plancast ignored it. Nothing was linked.',
    next: 'Open the link from Slack in an up-to-date browser, and press the button there.',
  },
  method: {
    status: 405,
    title: 'Open this page in your browser',
    what: 'Nothing was linked.',
    next: startAgain,
  },
  failure: {
    status: 503,
    title: 'Something went wrong',
    what: 'Plancast couldn’t continue, and the error was logged.',
    next: 'Wait a minute, then type /plancast link in Slack. If it happens again, contact your Plancast admin.',
  },
};

/** Returns the page for a problem, with its status. `detail`: a sentence instead of the usual one; `reference`: in the log, too. */
export function problemPage(
  problem: Problem,
  more: { readonly detail?: string | undefined; readonly reference?: string | undefined } = {},
): { readonly status: number; readonly text: string } {
  const { status = 200, title, what, next, note } = problems[problem];
  const { detail, reference } = more;
  const text = page({
    title,
    body: html`
<p>${withCommands(`${detail ?? what} ${next ?? ''}`)}</p>
${next === undefined ? newLinkForm : openSlack(null)}
${note === undefined ? html`` : html`<p class="quiet">${note}</p>`}
${referenceLine(reference)}`,
  });
  return { status, text };
}

/** Posts to the address of the old link. */
const newLinkForm = html`<form method="post" action="?new"><button type="submit">Send me a new link</button></form>
<p class="quiet">It comes in a direct message from Plancast. Or type <kbd>/plancast link</kbd> in Slack.</p>`;

/** Marks up the commands in sentences as keyboard input. */
function withCommands(sentence: string): Html {
  // Escape the whole sentence at once: escaping its parts would trim the spaces around the commands.
  return new Html(html`${sentence}`.text.replaceAll(/\/plancast \w+/g, '<kbd>$&</kbd>'));
}

/** Logs an error, and returns its reference, which the page shows and the log contains. */
export function reportFailure({ log }: Pick<Bot, 'log'>, error: unknown): string {
  const reference = randomBytes(4).toString('hex');
  log.error({ err: error, reference }, 'a page failed');
  return reference;
}
