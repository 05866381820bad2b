import { places } from '../seed.ts';
import { type PageAct, pageButton } from './act.ts';
import { type Facts, harbourTower, isFollowed, towerOf } from './facts.ts';
import { type Html, html } from './html.ts';
import { icon } from './icons.ts';
import type { LookingAt } from './looking-at.ts';
import {
  firstCommand,
  type Scenario,
  type ScenarioStep,
  scenarioGroups,
  scenarios,
  send,
} from './scenarios.ts';

const firstFile = 'A-103 Door schedule.pdf';

/** Renders three steps for a first visit, then everything else to try. */
export function renderGuide(facts: Facts, { chip }: LookingAt): Html {
  const steps = firstSteps(facts);
  const current = scenarios.find(({ id }) => id === chip);
  const isOver = steps.every(({ done }) => done);
  const first =
    isOver || current !== undefined
      ? html``
      : html`<h2 id="guide-title">Three steps to see what Plancast does</h2>${stepList(steps)}`;
  const away = html`<button type="button" class="quiet" data-guide="away" aria-label="Close the guide">${icon('close')}</button>`;
  const name = isOver || current !== undefined ? 'try-title' : 'guide-title';
  return html`<section class="guide" aria-labelledby="${name}">${first}${chips(current)}${current && renderScenario(current, facts)}${away}</section>`;
}

function firstSteps(facts: Facts): ScenarioStep[] {
  const { said, linked, hasChanged } = facts.happened;
  const isThere = JSON.stringify(towerOf(facts)?.tree ?? '').includes(firstFile);
  const actions = [
    // The service sends a project's name only when the project itself changes.
    { action: 'rename-project', project: harbourTower, name: 'Harbour Tower' },
    { action: 'create-file', project: harbourTower, parent: 'Plans/Level 1', name: firstFile },
  ];
  const body = { name: 'first', channel: places.plans, as: 'dana@example.com', actions };
  const add = pageButton(
    `Add ${firstFile}`,
    { demo: { act: 'run', body } },
    { disabled: !isFollowed(facts, places.plans) },
  );
  return [
    {
      done: [...said].some((line) => line.includes('/subscribe')),
      text: send(firstCommand, html`<b>Subscribe this channel.</b> Send`)(facts).text,
    },
    {
      done: linked.size > 0,
      text: html`<b>Link your account.</b> Press <i>Link</i> in the answer, allow it as Dana Reyes, then press <i>Open Slack</i>.`,
    },
    {
      done: hasChanged,
      text: html`<b>Change something.</b> ${!isThere && add} Or pick a folder of <i>Harbour Tower</i> in the practice service.`,
    },
  ];
}

function chips(current: Scenario | undefined): Html {
  const chip = ({ id, title, channel, user, also }: Scenario): Html => {
    const isCurrent = id === current?.id;
    const act: PageAct = isCurrent
      ? { look: { chip: '' } }
      : {
          demo: { act: 'begin', body: { id, channels: [channel, ...(also ?? [])] } },
          look: { chip: id, channel, user, tab: '', pane: '' },
        };
    return html`<li><button type="button" class="chip" data-do="${JSON.stringify(act)}" aria-pressed="${isCurrent ? 'true' : 'false'}">${title}</button></li>`;
  };
  const groups = scenarioGroups.map(
    (group) =>
      html`<li><h3>${group}</h3><ul class="chips" data-arrows>${scenarios.filter((one) => one.group === group).map(chip)}</ul></li>`,
  );
  return html`<h2 id="try-title" class="try">Try next</h2><ul class="chip-groups">${groups}</ul>`;
}

function renderScenario({ id, title, about, steps, result }: Scenario, facts: Facts): Html {
  const shown = result?.(facts);
  return html`<div class="scenario" data-key="scenario-${id}"><h3>${title}</h3><p>${about}</p>${stepList(steps(facts))}<div class="result" role="status">${shown}</div></div>`;
}

function stepList(steps: readonly ScenarioStep[]): Html {
  const items = steps.map(
    ({ done, text }, index) =>
      html`<li class="${done ? 'done' : 'open'}"><span class="number">${done ? html`${icon('check')}<span class="spoken">Done:</span>` : index + 1}</span><span>${text}</span></li>`,
  );
  return html`<ol>${items}</ol>`;
}

/** Renders the button that shows or hides the guide. */
export const guideButton = (isShown: boolean): Html =>
  html`<button type="button" class="top-button" data-guide="${isShown ? 'away' : 'here'}" aria-pressed="${isShown ? 'true' : 'false'}">Guide</button>`;
