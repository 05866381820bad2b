/** Remembered from visit to visit: who has put the introduction away does not want to see it again. */
const guideKey = 'plancast-demo-guide';
/** What was on the screen last, in any tab: where a page of the bot leads back to. */
const lastKey = 'plancast-demo-last';
/** To these the browser's Back leads again; the others only say how much of it is shown. */
const places = ['user', 'channel', 'tab', 'chip', 'pane', 'side'];

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
 * @param {{ isStep?: boolean }} how whether the browser's Back leads to what was shown before
 */
export function lookAt(parts, { isStep = true } = {}) {
  const before = new URLSearchParams(location.search);
  const query = new URLSearchParams(location.search);
  for (const [part, value] of Object.entries(parts)) {
    if (part === 'guide') localStorage.setItem(guideKey, value);
    else if (value === '') query.delete(part);
    else query.set(part, value);
  }
  goTo(query, isStep && places.some((place) => query.get(place) !== before.get(place)));
}

/** In a tab that **Open Slack** has led here, shows what was on the screen before. */
export function comeBack() {
  if (new URLSearchParams(location.search).has('back'))
    goTo(new URLSearchParams(localStorage.getItem(lastKey) ?? ''), false);
}

/**
 * @param {URLSearchParams} query
 * @param {boolean} isStep
 */
function goTo(query, isStep) {
  const text = query.toString();
  localStorage.setItem(lastKey, text);
  history[isStep ? 'pushState' : 'replaceState'](null, '', text === '' ? '/' : `/?${text}`);
}

/** As at a first visit; loads the page again. */
export function lookAfresh() {
  localStorage.removeItem(lastKey);
  localStorage.setItem(guideKey, 'here');
  location.assign('/');
}

/** Who is played in Slack, and in which channel: of what is shown right now. */
export function here() {
  const me = /** @type {HTMLSelectElement} */ (document.getElementById('me'));
  const current = document.querySelector('#sidebar [aria-current]');
  return { user: me.value, channel: current?.getAttribute('data-go') ?? '' };
}
