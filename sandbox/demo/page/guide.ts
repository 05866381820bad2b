import { type Html, html } from './html.ts';
import { icon } from './icons.ts';

/** What a first visit suggests to type. */
const firstCommand = '/subscribe project 412-873-550';

/** What of the introduction has been done, by anybody. */
export type Done = { readonly typed: boolean; readonly linked: boolean; readonly changed: boolean };

/** Three steps for whoever is here for the first time, each ticked off when it has been done. */
export function renderGuide({ typed, linked, changed }: Done): Html {
  const steps = [
    {
      done: typed,
      text: html`<b>Follow a project.</b> Send <button type="button" class="suggest" data-suggest-line="${firstCommand}"><code>${firstCommand}</code></button> in this channel.`,
    },
    {
      done: linked,
      text: html`<b>Link your account.</b> Press <i>Link</i> in the answer, go on, and allow it as Dana Reyes. You come back to a channel that follows the project.`,
    },
    {
      done: changed,
      text: html`<b>Change something.</b> On the right, under <i>Harbour Tower</i>, pick a folder and add a file, then rename it. The channel hears of it at once.`,
    },
  ];
  const items = steps.map(
    ({ done, text }, index) =>
      html`<li class="${done ? 'done' : 'open'}"><span class="number">${done ? html`${icon('check')}<span class="spoken">Done:</span>` : index + 1}</span><span>${text}</span></li>`,
  );
  return html`<section class="guide" aria-labelledby="guide-title"><h2 id="guide-title">Three steps to see what Plancast does</h2><ol>${items}</ol><button type="button" class="quiet" data-guide="away" aria-label="Put the introduction away">${icon('close')}</button></section>`;
}
