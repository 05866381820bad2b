import { atService, inDemo, inSlack, resetDemo, send, toast } from './act.js';
import { followChanges } from './changes.js';
import { putIntoComposer, startComposer } from './composer.js';
import { closeModal, isConfirmed, showModal, startModal } from './dialogs.js';
import { comeBack, here, lookAfresh, lookAt, looking } from './looking.js';
import './keys.js';
import { morphInto, offered } from './morph.js';
import './theme.js';
import { heldBy, valuesIn } from './values.js';

/** Session storage: the number of messages seen in each channel, by person and channel. */
const seenKey = 'plancast-demo-seen';

/** The last automatic scroll position; a person who reads on from there has not scrolled back. */
let scrolledTo = 0;

/** The drawing in progress. @type {Promise<void>} */
let drawing = Promise.resolve();
/** The drawing after that: several requests share it. @type {Promise<void> | undefined} */
let next;

/** Redraws the screen; resolves when the change is visible. */
function draw() {
  next ??= drawing.then(() => {
    next = undefined;
    drawing = drawNow();
    return drawing;
  });
  return next;
}

async function drawNow() {
  try {
    const answer = await fetch(`/screen?${looking()}`);
    if (answer.ok) show(await answer.json());
  } catch {
    say('The demo has ended.');
  }
}

/** @param {Record<string, string>} regions */
function show(regions) {
  const log = /** @type {HTMLElement} */ (document.getElementById('log'));
  const wasAtEnd =
    log.scrollHeight - log.scrollTop - log.clientHeight < 80 || Math.abs(log.scrollTop - scrolledTo) < 2;
  const before = { ...here(), answer: lastAnswer(), chip: chosenChip() };
  if (regions.dialog === '') closeModal();
  for (const [id, markup] of Object.entries(regions)) {
    const region = document.getElementById(id);
    if (!region) continue;
    const focused = region.querySelector(':focus');
    morphInto(region, markup);
    if (focused && !focused.isConnected && id !== 'dialog') focusOn(region);
  }
  const now = here();
  const moved = before.channel !== now.channel || before.user !== now.user || before.tab !== now.tab;
  if (now.tab === 'home') {
    // The Home tab is read from its top, and stays where it is when a button on it redraws it.
    if (moved) log.scrollTop = 0;
  } else if (wasAtEnd || moved || before.answer !== lastAnswer()) {
    scrollToEnd();
  }
  markUnread(now);
  // A small screen has the channels in one line, of which it shows a part, and the chips too.
  intoView(document.querySelector('#sidebar [aria-current]'), moved);
  intoView(chosenChip(), before.chip !== chosenChip());
  showModal();
}

/**
 * @param {Element | null} element
 * @param {boolean} isNew a person who has scrolled away from it since stays there
 */
function intoView(element, isNew) {
  if (isNew) element?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

function chosenChip() {
  return document.querySelector('.chip[aria-pressed="true"]');
}

/**
 * If the button pressed last is gone, Tab continues from its part of the page, not from the top.
 * @param {HTMLElement} region
 */
function focusOn(region) {
  if (!region.hasAttribute('tabindex')) region.tabIndex = -1;
  region.focus({ preventScroll: true });
}

/** Returns the key of the last ephemeral message: a response to this person's action, which they want to read. */
function lastAnswer() {
  return [...document.querySelectorAll('.message.ephemeral')].at(-1)?.getAttribute('data-key');
}

/**
 * Marks channels with unread messages, and shows their number on the Slack tab of a small screen.
 * @param {{ user: string, channel: string }} now
 */
function markUnread({ user, channel }) {
  const seen = JSON.parse(sessionStorage.getItem(seenKey) ?? '{}');
  let all = 0;
  for (const link of document.querySelectorAll('#sidebar [data-go]')) {
    const id = link.getAttribute('data-go') ?? '';
    const count = Number(link.getAttribute('data-count'));
    const key = `${user} ${id}`;
    if (id === channel && isLogShown()) seen[key] = count;
    const fresh = Math.max(0, count - (seen[key] ?? 0));
    all += fresh;
    /** @type {HTMLElement} */ (link).dataset.fresh = fresh === 0 ? '' : String(fresh);
    link.classList.toggle('unread', fresh > 0);
  }
  sessionStorage.setItem(seenKey, JSON.stringify(seen));
  const place = document.querySelector('[data-unread]');
  if (place) place.textContent = all === 0 ? '' : `${all} new`;
}

/** Returns whether the messages are visible: not on the Home tab, nor while a small screen shows the service. */
function isLogShown() {
  const isHome = looking().get('tab') === 'home' && document.querySelector('.tabs') !== null;
  return !isHome && document.getElementById('log')?.checkVisibility() === true;
}

/** Updates the clock's time, in the format of the server. */
function tickClock() {
  const place = /** @type {HTMLElement | null} */ (document.querySelector('[data-clock]'));
  if (!place) return;
  const now = Date.now() + Number(place.dataset.clock);
  const format = new Intl.DateTimeFormat('en-US', {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: place.dataset.zone ?? 'UTC',
  });
  const text = format.format(now);
  if (place.textContent !== text) place.textContent = text;
}

/**
 * @param {string} words
 * @param {'alert' | 'status'} role
 */
function say(words, role = 'alert') {
  const status = document.getElementById('status');
  if (status) morphInto(status, `<p class="pill failed" role="${role}">${words}</p>`);
}

/**
 * @param {Record<string, string>} parts
 * @param {{ isStep?: boolean }} [how] as for `lookAt`
 */
function look(parts, how) {
  lookAt(parts, how);
  showPane();
  return draw();
}

/** Not everyone is in every channel: a person who is not in the current one gets the first of their own. */
async function enterOwnChannel() {
  if (document.querySelector('#sidebar [aria-current]')) return;
  const first = document.querySelector('#sidebar [data-go]')?.getAttribute('data-go');
  if (first) await look({ channel: first }, { isStep: false });
}

/** A small screen shows one half at a time. */
function showPane() {
  document.body.dataset.pane = looking().get('pane') || 'slack';
}

/**
 * Carries out the action of a guide button.
 * @param {{ look?: Record<string, string>, say?: string, demo?: { act: string, body: Record<string, unknown> } }} wanted
 */
async function carryOut({ look: parts, say: line, demo }) {
  // What begins is drawn as it begins.
  if (demo?.act === 'begin') await inDemo(demo.act, demo.body);
  if (parts) await look(parts);
  if (line) await send(line);
  if (demo && demo.act !== 'begin') await inDemo(demo.act, demo.body);
}

/** Starts over, as on a first visit. */
async function reset() {
  const question = {
    title: 'Start over?',
    text: 'This removes everything you did here and restarts the demo.',
    yes: 'Start over',
  };
  if (!(await isConfirmed(JSON.stringify(question)))) return;
  say('Starting over…', 'status');
  if ((await resetDemo()) === undefined) return;
  sessionStorage.removeItem(seenKey);
  lookAfresh();
}

/**
 * Returns the message or view that contains an element.
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
async function notifyBot(element, value) {
  const { block: blockId, action: actionId } = element.dataset;
  await inSlack('click', { ...surfaceOf(element), blockId, actionId, ...(value !== undefined && { value }) });
}

/** @param {HTMLElement} button */
async function press(button) {
  if (await isConfirmed(button.dataset.confirm)) await notifyBot(button, button.dataset.value);
}

/**
 * The click handler of each attribute.
 * @type {Record<string, (element: HTMLElement, event: Event) => unknown>}
 */
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
  'data-guide': (element) => look({ guide: element.dataset.guide ?? '' }),
  'data-do': (element) => carryOut(JSON.parse(element.dataset.do ?? '{}')),
  'data-reset': () => reset(),
  'data-suggest-line': async (element) => {
    // The Home tab has no composer.
    const isThere = document.getElementById('line')?.checkVisibility() === true;
    if (!isThere) await look({ tab: '', pane: '' });
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
    if (!(element instanceof HTMLElement)) continue;
    if (isPressedAgain(element)) event.preventDefault();
    else void pressOnce(element, () => act(element, event));
    return;
  }
});

/**
 * The last press: what its element looked like, and until when another press of it counts as the same one.
 * @type {{ element: HTMLElement, what: string, until: number } | undefined}
 */
let lastPress;
const doublePressMs = 400;

/**
 * Returns whether this is the second half of a double click, or a press while the previous one is in progress. After a press of another
 * element, it is neither. An element that has changed since, such as the button of the next step, counts as not pressed yet.
 * @param {HTMLElement} element
 */
function isPressedAgain(element) {
  return (
    lastPress?.element === element &&
    lastPress.what === element.outerHTML &&
    performance.now() < lastPress.until
  );
}

/**
 * @param {HTMLElement} element
 * @param {() => unknown} act
 */
async function pressOnce(element, act) {
  const press = { element, what: element.outerHTML, until: Number.POSITIVE_INFINITY };
  const until = performance.now() + doublePressMs;
  lastPress = press;
  try {
    await act();
  } finally {
    press.until = until;
  }
}

window.addEventListener('popstate', () => {
  showPane();
  void draw();
});

document.addEventListener('submit', (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (form.dataset.service === undefined) return;
  event.preventDefault();
  void atService({ ...JSON.parse(form.dataset.service), ...Object.fromEntries(new FormData(form)) });
});

document.addEventListener('change', (event) => {
  const target = /** @type {HTMLInputElement} */ (event.target);
  if (target.dataset.look) return void look({ [target.dataset.look]: target.value }).then(enterOwnChannel);
  const { fault } = target.dataset;
  if (fault)
    return void inDemo('faults', { [fault]: target.type === 'checkbox' ? target.checked : target.value });
  const control = target.closest('[data-control][data-notifies]');
  if (control instanceof HTMLElement && !control.dataset.press) void notifyBot(control, heldBy(control));
});

let suggestTimer = 0;
for (const type of ['input', 'focusin']) document.addEventListener(type, searchChanged);

/** @param {Event} event */
function searchChanged(event) {
  const search = /** @type {HTMLInputElement} */ (event.target);
  if (search.dataset.suggest === undefined) return;
  clearTimeout(suggestTimer);
  suggestTimer = setTimeout(() => void suggest(search), 200);
}

/** @param {HTMLInputElement} search */
async function suggest(search) {
  const control = document.getElementById(search.dataset.suggest ?? '');
  if (control === null) return;
  const { block: blockId, action: actionId } = control.dataset;
  const { state: _state, ...surface } = surfaceOf(control);
  const answer = await inSlack('suggest', { ...surface, blockId, actionId, value: search.value });
  /** @type {{ text: { text: string }, value: string }[]} */
  const options = answer?.options ?? [];
  control.setAttribute(offered, '');
  if (control instanceof HTMLSelectElement) {
    control.replaceChildren(...options.map(({ text, value }) => new Option(text.text, value)));
    return;
  }
  const ticked = [...control.querySelectorAll('label')].filter((box) => box.querySelector(':checked'));
  const values = ticked.map((box) => box.querySelector('input')?.value ?? '');
  control.replaceChildren(
    ...ticked,
    ...options
      .filter(({ value }) => !values.includes(value))
      .map(({ text, value }) => boxOf(text.text, value)),
  );
}

/**
 * Returns a box to tick, as the server draws them.
 * @param {string} label
 * @param {string} value
 */
function boxOf(label, value) {
  const box = document.createElement('label');
  const input = Object.assign(document.createElement('input'), { type: 'checkbox', value });
  const words = Object.assign(document.createElement('span'), { textContent: label });
  box.className = 'box';
  box.append(input, words);
  return box;
}

/** Scrolls to the latest messages, or to the start of the last one if it is taller than the screen. */
function scrollToEnd() {
  const log = /** @type {HTMLElement} */ (document.getElementById('log'));
  log.scrollTop = log.scrollHeight;
  const last = [...log.querySelectorAll('.message')].at(-1);
  const above = last ? log.getBoundingClientRect().top - last.getBoundingClientRect().top : 0;
  if (above > 0) log.scrollTop -= above;
  scrolledTo = log.scrollTop;
}

// A menu opens upwards where there is no room below.
document.addEventListener(
  'toggle',
  (event) => {
    const details = /** @type {HTMLElement} */ (event.target);
    const log = document.getElementById('log');
    const items = details.querySelector('.overflow > div');
    if (!details.matches('details.overflow[open]') || !log?.contains(details) || !items) return;
    details.classList.remove('up');
    const [menu, around] = [items.getBoundingClientRect(), log.getBoundingClientRect()];
    const isAbove = details.getBoundingClientRect().top - menu.height > around.top;
    details.classList.toggle('up', menu.bottom > around.bottom && isAbove);
  },
  true,
);

comeBack();
showPane();
startComposer();
startModal();
setInterval(tickClock, 1_000);
if (here().tab !== 'home') scrollToEnd();
followChanges(() => void draw());
markUnread(here());
showModal();
