import { atService, inSlack, toast } from './act.js';
import { putIntoComposer, startComposer } from './composer.js';
import { closeModal, isConfirmed, showModal, startModal } from './dialogs.js';
import { here, lookAt, looking } from './looking.js';
import { morphInto } from './morph.js';
import './theme.js';
import { heldBy, valuesIn } from './values.js';

/** What was seen last in each channel, by person and channel. */
const seenKey = 'plancast-demo-seen';

let drawing = false;
let again = false;

/** Draws the screen as it is now; of several wishes at once, only the last counts. */
async function draw() {
  if (drawing) {
    again = true;
    return;
  }
  drawing = true;
  try {
    const answer = await fetch(`/screen?${looking()}`);
    if (answer.ok) show(await answer.json());
  } catch {
    say('The demo has ended.');
  }
  drawing = false;
  if (again) {
    again = false;
    await draw();
  }
}

/** @param {Record<string, string>} regions */
function show(regions) {
  const log = /** @type {HTMLElement} */ (document.getElementById('log'));
  const wasAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  const before = { ...here(), answer: lastAnswer() };
  if (regions.dialog === '') closeModal();
  for (const [id, markup] of Object.entries(regions)) {
    const region = document.getElementById(id);
    if (region) morphInto(region, markup);
  }
  const now = here();
  const moved = before.channel !== now.channel || before.user !== now.user;
  if (wasAtEnd || moved || before.answer !== lastAnswer()) scrollToEnd();
  markUnread(now);
  showModal();
}

/** The last message that only this person sees: an answer to what they did, which they want to read. */
function lastAnswer() {
  return [...document.querySelectorAll('.message.ephemeral')].at(-1)?.getAttribute('data-key');
}

/** @param {{ user: string, channel: string }} now */
function markUnread({ user, channel }) {
  const seen = JSON.parse(sessionStorage.getItem(seenKey) ?? '{}');
  for (const link of document.querySelectorAll('#sidebar [data-go]')) {
    const id = link.getAttribute('data-go') ?? '';
    const latest = link.getAttribute('data-latest') ?? '';
    const key = `${user} ${id}`;
    const isShown = id === channel && (looking().get('tab') !== 'home' || !document.querySelector('.tabs'));
    if (isShown) seen[key] = latest;
    link.classList.toggle('unread', latest !== '' && latest !== seen[key]);
  }
  sessionStorage.setItem(seenKey, JSON.stringify(seen));
}

/** @param {string} words */
function say(words) {
  const status = document.getElementById('status');
  if (status) morphInto(status, `<p class="pill failed" role="alert">${words}</p>`);
}

/** @param {Record<string, string>} parts */
function look(parts) {
  lookAt(parts);
  return draw();
}

/**
 * The message or view that an element is in.
 * @param {Element} element
 */
function surfaceOf(element) {
  const view = element.closest('[data-view]');
  if (view) return { viewId: view.getAttribute('data-view'), state: valuesIn(view) };
  return { messageId: element.closest('[data-message]')?.getAttribute('data-message') };
}

/**
 * @param {HTMLElement} element
 * @param {unknown} value
 */
async function tellBot(element, value) {
  const { block: blockId, action: actionId } = element.dataset;
  await inSlack('click', { ...surfaceOf(element), blockId, actionId, ...(value !== undefined && { value }) });
}

/** @param {HTMLElement} button */
async function press(button) {
  if (await isConfirmed(button.dataset.confirm)) await tellBot(button, button.dataset.value);
}

/** What a click on something with this attribute does. @type {Record<string, (element: HTMLElement, event: Event) => unknown>} */
const clicks = {
  'data-press': (element) => press(element),
  'data-go': (element, event) => {
    event.preventDefault();
    return look({ channel: element.dataset.go ?? '' });
  },
  'data-tab': async (element, event) => {
    event.preventDefault();
    const { tab = '' } = element.dataset;
    await look({ tab });
    if (tab === 'home') await inSlack('home', {});
  },
  'data-open': (element) => {
    const { open = '' } = element.dataset;
    return look({ open: element.getAttribute('aria-expanded') === 'true' ? '' : open });
  },
  'data-all': (element) => {
    const all = (looking().get('all') ?? '').split(',').filter(Boolean);
    return look({ all: [...all, element.dataset.all].join(',') });
  },
  'data-guide': () => look({ guide: 'away' }),
  'data-suggest-line': async (element) => {
    // The Home tab has no place to type.
    if (document.getElementById('line') === null) await look({ tab: '' });
    putIntoComposer(element.dataset.suggestLine ?? '');
  },
  'data-slack': (element) => inSlack(element.dataset.slack ?? '', { channel: here().channel }),
  'data-shortcut': (element) => {
    const messageId = element.closest('[data-message]')?.getAttribute('data-message');
    return inSlack('shortcut', { callbackId: element.dataset.shortcut, messageId });
  },
  'data-copy': async (element) => {
    await navigator.clipboard.writeText(element.dataset.copy ?? '');
    toast(`Copied ${element.dataset.copy}.`);
  },
  'data-service': (element) =>
    element instanceof HTMLButtonElement ? atService(JSON.parse(element.dataset.service ?? '{}')) : undefined,
};

document.addEventListener('click', (event) => {
  const target = /** @type {Element} */ (event.target);
  for (const [attribute, act] of Object.entries(clicks)) {
    const element = target.closest(`[${attribute}]`);
    if (element instanceof HTMLElement) return void act(element, event);
  }
});

document.addEventListener('submit', (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (form.dataset.service === undefined) return;
  event.preventDefault();
  void atService({ ...JSON.parse(form.dataset.service), ...Object.fromEntries(new FormData(form)) });
});

document.addEventListener('change', (event) => {
  const target = /** @type {HTMLInputElement} */ (event.target);
  if (target.dataset.look) return void look({ [target.dataset.look]: target.value });
  const control = target.closest('[data-control][data-tells]');
  if (control instanceof HTMLElement && !control.dataset.press) void tellBot(control, heldBy(control));
});

let suggestTimer = 0;
document.addEventListener('input', (event) => {
  const search = /** @type {HTMLInputElement} */ (event.target);
  if (search.dataset.suggest === undefined) return;
  clearTimeout(suggestTimer);
  suggestTimer = setTimeout(() => void suggest(search), 200);
});

/** @param {HTMLInputElement} search */
async function suggest(search) {
  const select = document.getElementById(search.dataset.suggest ?? '');
  if (!(select instanceof HTMLSelectElement)) return;
  const { block: blockId, action: actionId } = select.dataset;
  const { state: _state, ...surface } = surfaceOf(select);
  const answer = await inSlack('suggest', { ...surface, blockId, actionId, value: search.value });
  const offered = (answer?.options ?? []).map(
    (/** @type {{ text: { text: string }, value: string }} */ { text, value }) =>
      new Option(text.text, value),
  );
  select.replaceChildren(...offered);
}

/** Shows the latest messages. */
function scrollToEnd() {
  const log = /** @type {HTMLElement} */ (document.getElementById('log'));
  log.scrollTop = log.scrollHeight;
}

startComposer();
startModal();
scrollToEnd();
new EventSource('/changes').addEventListener('message', () => void draw());
markUnread(here());
showModal();
