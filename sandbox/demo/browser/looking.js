/** Remembered from visit to visit: who has put the introduction away does not want to see it again. */
const guideKey = 'plancast-demo-guide';

/**
 * What is on the screen. It is in the address of the page, so that a reload shows the same.
 *
 * @returns {URLSearchParams}
 */
export function looking() {
  const query = new URLSearchParams(location.search);
  if (localStorage.getItem(guideKey) === 'away') query.set('guide', 'away');
  return query;
}

/**
 * Changes the address to show something else.
 *
 * @param {Record<string, string>} parts empty ones are taken away
 */
export function lookAt(parts) {
  const query = new URLSearchParams(location.search);
  for (const [part, value] of Object.entries(parts)) {
    if (part === 'guide') localStorage.setItem(guideKey, value);
    else if (value === '') query.delete(part);
    else query.set(part, value);
  }
  const text = query.toString();
  history.replaceState(null, '', text === '' ? '/' : `/?${text}`);
}

/** Who is played in Slack, and in which channel: of what is shown right now. */
export function here() {
  const me = /** @type {HTMLSelectElement} */ (document.getElementById('me'));
  const current = document.querySelector('#sidebar [aria-current]');
  return { user: me.value, channel: current?.getAttribute('data-go') ?? '' };
}
