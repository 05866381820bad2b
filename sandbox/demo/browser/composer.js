import { send } from './act.js';

const line = () => /** @type {HTMLInputElement} */ (document.getElementById('line'));
const hints = () => /** @type {HTMLElement} */ (document.getElementById('hints'));
const usage = () => /** @type {HTMLElement} */ (document.getElementById('usage'));
const options = () => [...hints().querySelectorAll('[role=option]')];
const shown = () => options().filter((option) => !(/** @type {HTMLElement} */ (option).hidden));

/** What was sent, for the arrow keys. @type {string[]} */
const sent = [];
let back = 0;

/** Puts a command into the composer, ready to send. @param {string} text */
export function putIntoComposer(text) {
  line().value = text;
  line().focus();
  showHints();
}

/** Shows the commands that start with the typed text, and the usage of a complete one. */
function showHints() {
  const text = line().value;
  const word = text.split(' ')[0] ?? '';
  const isTyping = text.startsWith('/') && !text.includes(' ');
  for (const option of options()) {
    const name = option.getAttribute('data-name') ?? '';
    /** @type {HTMLElement} */ (option).hidden = !name.startsWith(word);
    option.setAttribute('aria-selected', 'false');
  }
  const exact = options().find((option) => option.getAttribute('data-name') === word);
  open(isTyping && shown().length > 0 && !(exact && shown().length === 1));
  const how = exact?.querySelector('i')?.textContent ?? '';
  usage().textContent = exact ? `${word} ${how}` : 'Type / for the commands, or paste a link.';
}

/** @param {boolean} isOpen */
function open(isOpen) {
  hints().hidden = !isOpen;
  line().setAttribute('aria-expanded', String(isOpen));
  if (!isOpen) line().removeAttribute('aria-activedescendant');
}

/** @param {number} step */
function choose(step) {
  const all = shown();
  const now = all.findIndex((option) => option.getAttribute('aria-selected') === 'true');
  const next = all[(now + step + all.length) % all.length] ?? all[0];
  for (const option of all) option.setAttribute('aria-selected', String(option === next));
  if (next) line().setAttribute('aria-activedescendant', next.id);
}

/** @param {Element | undefined} option */
function take(option) {
  if (!option) return;
  putIntoComposer(`${option.getAttribute('data-name')} `);
}

/** @param {number} step */
function recall(step) {
  if (sent.length === 0) return;
  back = Math.min(Math.max(back + step, 0), sent.length);
  line().value = sent[sent.length - back] ?? '';
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const isOpen = !hints().hidden;
  const chosen = shown().find((option) => option.getAttribute('aria-selected') === 'true');
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    const step = event.key === 'ArrowDown' ? 1 : -1;
    if (isOpen) choose(step);
    else recall(-step);
  } else if (isOpen && (event.key === 'Tab' || event.key === 'Enter') && (chosen || event.key === 'Tab')) {
    event.preventDefault();
    take(chosen ?? shown()[0]);
  } else if (event.key === 'Escape') {
    open(false);
  }
}

async function sendTyped() {
  const text = line().value.trim();
  if (text === '') return;
  line().value = '';
  sent.push(text);
  back = 0;
  showHints();
  await send(text);
}

/** Sets up the composer. Its part of the page is redrawn often, so no listener is on its elements. */
export function startComposer() {
  const compose = /** @type {HTMLElement} */ (document.getElementById('compose'));
  compose.addEventListener('input', showHints);
  compose.addEventListener('keydown', onKey);
  compose.addEventListener('focusout', () => open(false));
  compose.addEventListener('mousedown', (event) => {
    const option = /** @type {Element} */ (event.target).closest('[role=option]');
    if (!option) return;
    event.preventDefault();
    take(option);
  });
  compose.addEventListener('submit', (event) => {
    event.preventDefault();
    void sendTyped();
  });
}
