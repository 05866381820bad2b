import type { TicketFault } from '../../core/linking/find-ticket.ts';
import type { FinishFault } from '../../core/linking/finish-link.ts';
import { type Html, html } from './html.ts';
import { page } from './page.ts';

/** What can go wrong on the way to a link, as far as a browser sees it. */
export type Problem = TicketFault | FinishFault | 'not-a-member' | 'foreign-form' | 'method' | 'failure';

type Words = {
  readonly status: number;
  readonly title: string;
  /** What happened, in a sentence or two. */
  readonly what: string;
  /** How to go on. */
  readonly next: string;
};

const startAgain = 'Go back to Slack and type your command again, or /plancast link. You get a new link.';
const newestLink =
  'Use the newest link you were shown in Slack, or type /plancast link there for another one.';

const wordsFor: Readonly<Record<Problem, Words>> = {
  unknown: {
    status: 404,
    title: 'This link is not known',
    what: 'It may have been cut off when it was copied, or it is from long ago.',
    next: startAgain,
  },
  expired: {
    status: 410,
    title: 'This took too long',
    what: 'For your safety there are 10 minutes for each step. Nothing was connected.',
    next: startAgain,
  },
  used: {
    status: 410,
    title: 'This was used already',
    what: 'Each link and each answer counts once. If you have just seen a page that said you are connected, or showed a code, that still holds.',
    next: 'Go back to Slack. /plancast status there says whether you are connected, and /plancast link starts again.',
  },
  replaced: {
    status: 410,
    title: 'There is a newer link',
    what: 'You have asked for a link again since, and only the newest one works.',
    next: newestLink,
  },
  malformed: {
    status: 400,
    title: 'Something is missing here',
    what: 'This page is where you are sent after you agreed, and it was opened without what belongs to that. Nothing was connected.',
    next: startAgain,
  },
  'unknown-answer': {
    status: 400,
    title: 'This answer is not known',
    what: 'It does not belong to anything that was begun here, or to something from long ago. Nothing was connected.',
    next: startAgain,
  },
  'other-browser': {
    status: 403,
    title: 'This did not begin here',
    what: 'Linking ends in the browser in which it began, so that nobody can finish it for you. This one did not begin in this browser, or was begun again since, or cookies are not allowed. Nothing was connected.',
    next: 'Go back to Slack, type /plancast link, open the new link in your usual browser and stay in it.',
  },
  denied: {
    status: 200,
    title: 'You did not agree',
    what: 'So nothing was connected. That is fine.',
    next: 'If you change your mind, type /plancast link in Slack.',
  },
  refused: {
    status: 400,
    title: 'This could not be connected',
    what: 'The answer did not lead to a connection.',
    next: startAgain,
  },
  'code-expired': {
    status: 410,
    title: 'Start again, please',
    what: 'What you agreed to was not taken any more: it holds for a few minutes only, and once. Nothing was connected.',
    next: startAgain,
  },
  unavailable: {
    status: 503,
    title: 'There was no answer',
    what: 'You agreed, but the other side could not be asked for what is needed after that. Nothing was connected.',
    next: 'Wait a few minutes, then go back to Slack and type /plancast link.',
  },
  'not-a-member': {
    status: 403,
    title: 'This is for members of the workspace',
    what: 'Whoever asked for this link is not a full member of the Slack workspace. Nothing was connected.',
    next: 'Ask a full member of the workspace to make the subscriptions you need.',
  },
  'foreign-form': {
    status: 403,
    title: 'This did not come from our page',
    what: 'Another page has sent your browser here, so it was not followed. Nothing was connected.',
    next: 'If you want to connect, open the link in Slack and press the button on its page, in an up-to-date browser.',
  },
  method: {
    status: 405,
    title: 'This is not how this page works',
    what: 'It can be opened in a browser, and that is all.',
    next: startAgain,
  },
  failure: {
    status: 503,
    title: 'Something went wrong here',
    what: 'The fault is on our side, and it has been noted.',
    next: 'Try again in a minute. If it stays like this, tell an admin of this bot.',
  },
};

/**
 * The page that says what went wrong and how to go on, with its status.
 *
 * @param more `detail` is a sentence that says more, as plain text; `reference` is what an admin finds in the log
 */
export function problemPage(
  problem: Problem,
  more: { readonly detail?: string | undefined; readonly reference?: string | undefined } = {},
): { readonly status: number; readonly text: string } {
  const { status, title, what, next } = wordsFor[problem];
  const { detail, reference } = more;
  const text = page({
    title,
    body: html`
<p>${detail ?? what}</p>
<p><strong>How to go on:</strong> ${withCommands(next)}</p>
${reference === undefined ? '' : html`<p class="quiet">Reference for the admin: ${reference}</p>`}`,
  });
  return { status, text };
}

/** A sentence with the commands in it set apart, as something to be typed. */
function withCommands(sentence: string): readonly Html[] {
  // Split at a group, the parts at odd places are what the group took.
  return sentence
    .split(/(\/plancast \w+)/)
    .map((part, index) => (index % 2 === 0 ? html`${part}` : html`<kbd>${part}</kbd>`));
}
