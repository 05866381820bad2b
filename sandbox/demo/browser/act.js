import { here } from './looking.js';

let toastTimer = 0;

/** @param {string} words shown for some seconds, and spoken */
export function toast(words) {
  const place = /** @type {HTMLElement} */ (document.getElementById('toast'));
  place.textContent = words;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => {
    place.textContent = '';
  }, 6_000);
}

/**
 * @param {string} address
 * @param {unknown} body
 * @returns {Promise<any>} undefined where it did not work, which is then said
 */
async function post(address, body) {
  try {
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const said = await answer.json();
    if (answer.ok) return said;
    toast(said.error ?? `That didn’t work (${answer.status}).`);
  } catch {
    toast('The demo doesn’t answer. Is it still running?');
  }
  return undefined;
}

/**
 * Does something as the person who is played in Slack.
 * @param {string} act
 * @param {Record<string, unknown>} body
 */
export async function inSlack(act, body) {
  const answer = await post(`/slack/${act}`, { user: here().user, ...body });
  // Slackbot reports a command that was not answered, and a form shows it itself.
  const isReported = act === 'command' || act === 'submit';
  if (!isReported && (answer?.failure || answer?.status >= 300)) toast('Plancast didn’t answer that.');
  return answer;
}

/**
 * Does something as the user who is played at the service.
 * @param {Record<string, unknown>} action
 */
export function atService(action) {
  const as = /** @type {HTMLSelectElement} */ (document.getElementById('as')).value;
  return post('/service', { as, ...action });
}

/**
 * Does something to the practice world: turns its clock, lets something fail, kills the bot.
 * @param {string} act
 * @param {Record<string, unknown>} body
 */
export function inDemo(act, body) {
  return post(`/demo/${act}`, body);
}

/** Ends the practice world and begins a new one. */
export function resetDemo() {
  return post('/reset', {});
}
