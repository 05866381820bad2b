/** Local storage: a person who dismissed the introduction does not want to see it on the next visit. */
const guideKey = 'plancast-demo-guide';
/** Local storage: the last screen in any tab, where a page of the bot leads back to. */
const lastKey = 'plancast-demo-last';
/** Changes of these are steps for the browser's Back button; the others only expand or collapse details. */
const places = ['user', 'channel', 'tab', 'chip', 'pane', 'side'];

/**
 * Returns what is on the screen. It is in the address of the page, so that a reload shows the same.
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
 * @param {Record<string, string>} parts empty ones are removed
 * @param {{ isStep?: boolean }} how whether the browser's Back button returns to the previous screen
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

/** In a tab opened by **Open Slack**, restores the last screen. */
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

/** Resets to a first visit and reloads the page. */
export function lookAfresh() {
  localStorage.removeItem(lastKey);
  localStorage.setItem(guideKey, 'here');
  location.assign('/');
}

/** Returns the person and the channel that are shown now, and the tab of the app, if it is shown. */
export function here() {
  const me = /** @type {HTMLSelectElement} */ (document.getElementById('me'));
  const current = document.querySelector('#sidebar [aria-current]');
  const tab = document.querySelector('#head [aria-current]');
  return {
    user: me.value,
    channel: current?.getAttribute('data-go') ?? '',
    tab: tab?.getAttribute('data-tab') ?? '',
  };
}
