import { here } from './looking.js';

let toastTimer = 0;

/** @param {string} words shown for a few seconds, and announced to screen readers */
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
 * @returns {Promise<any>} undefined if it failed, which is then reported on the page
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
 * Acts as the chosen person in Slack.
 * @param {string} act
 * @param {Record<string, unknown>} body
 */
export async function inSlack(act, body) {
  const answer = await post(`/slack/${act}`, { user: here().user, ...body });
  // Slackbot reports a command that was not answered, and a form shows its own error.
  const isReported = act === 'command' || act === 'submit';
  if (!isReported && (answer?.failure || answer?.status >= 300)) toast('Plancast didn’t answer that.');
  return answer;
}

/**
 * Sends a command, or writes a message, as the chosen person in the channel that is shown.
 * @param {string} text with `{page}` for the address of this page, which shows the service
 */
export function send(text) {
  const { channel } = here();
  if (text.startsWith('/')) return inSlack('command', { channel, line: text });
  return inSlack('write', { channel, text: text.replace('{page}', location.origin) });
}

/**
 * Acts as the chosen user at the service.
 * @param {Record<string, unknown>} action
 */
export function atService(action) {
  const as = /** @type {HTMLSelectElement} */ (document.getElementById('as')).value;
  return post('/service', { as, ...action });
}

/**
 * Changes the practice world: turns its clock, sets faults, kills the bot.
 * @param {string} act
 * @param {Record<string, unknown>} body
 */
export function inDemo(act, body) {
  return post(`/demo/${act}`, body);
}

/** Ends the practice world and starts a new one. */
export function resetDemo() {
  return post('/reset', {});
}
