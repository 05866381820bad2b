import type { TicketFault } from '../../core/linking/find-ticket.ts';
import type { FinishFault } from '../../core/linking/finish-link.ts';
import { Html, html } from './html.ts';
import { openSlack, page, referenceLine } from './page.ts';

/** What can go wrong during linking, as shown in the browser. */
export type Problem = TicketFault | FinishFault | 'not-a-member' | 'foreign-form' | 'method' | 'failure';

type ProblemCopy = {
  readonly status: number;
  readonly title: string;
  /** What happened. */
  readonly what: string;
  /** What to do, with commands as they are typed. */
  readonly next: string;
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
    what: 'You have 10 minutes for each step of linking. Nothing was linked.',
    next: startAgain,
  },
  used: {
    status: 410,
    title: 'This link was already used',
    what: 'It works once. If a page said you’re linked or showed you a code, that still counts.',
    next: 'Type /plancast status in Slack to see whether you’re linked.',
  },
  replaced: {
    status: 410,
    title: 'There’s a newer link',
    what: 'Only the newest link you got in Slack works.',
    next: 'Open that one, or type /plancast link in Slack.',
  },
  malformed: {
    status: 400,
    title: 'Nothing was linked',
    what: 'This page only works at the end of a sign-in.',
    next: startAgain,
  },
  'unknown-answer': {
    status: 400,
    title: 'Nothing was linked',
    what: 'This sign-in is too old, or didn’t start here.',
    next: startAgain,
  },
  'other-browser': {
    status: 403,
    title: 'This started in another browser',
    what: 'For your safety, linking has to end in the browser it started in, with cookies allowed. Nothing was linked.',
    next: 'Type /plancast link in Slack, open the new link in your usual browser and stay in it.',
  },
  denied: {
    status: 200,
    title: 'Linking canceled',
    what: 'Nothing was linked.',
    next: 'You can start again any time with /plancast link in Slack.',
  },
  refused: {
    status: 400,
    title: 'Linking failed',
    what: 'The sign-in wasn’t completed. Nothing was linked.',
    next: 'Type /plancast link in Slack to start again. If it fails again, contact your Plancast admin.',
  },
  'not-set-up': {
    status: 400,
    title: 'Linking needs your admin',
    what: 'Plancast isn’t set up correctly. Ask your Plancast admin to fix it.',
    next: 'After that, type /plancast link in Slack.',
  },
  'code-expired': {
    status: 410,
    title: 'This sign-in has expired',
    what: 'It works only once, and only for a few minutes. Nothing was linked.',
    next: startAgain,
  },
  unavailable: {
    status: 503,
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

/**
 * Returns the page for a problem, with its status.
 *
 * @param more `detail` is a plain-text sentence that replaces the usual one; `reference` is in the log too
 */
export function problemPage(
  problem: Problem,
  more: { readonly detail?: string | undefined; readonly reference?: string | undefined } = {},
): { readonly status: number; readonly text: string } {
  const { status, title, what, next } = problems[problem];
  const { detail, reference } = more;
  const text = page({
    title,
    body: html`
<p>${detail ?? what} ${withCommands(next)}</p>
${openSlack(null)}
${referenceLine(reference)}`,
  });
  return { status, text };
}

/** Marks up the commands in a sentence as keyboard input. */
function withCommands(sentence: string): Html {
  // Escape the whole sentence at once: escaping its parts would trim the spaces around the commands.
  return new Html(html`${sentence}`.text.replaceAll(/\/plancast \w+/g, '<kbd>$&</kbd>'));
}
