import { inSlack, toast } from './act.js';
import { valuesIn } from './values.js';

const dialog = () => /** @type {HTMLDialogElement} */ (document.getElementById('dialog'));
let shownView = '';
let shownErrors = '';

/** Closes the page's dialog while its form is still in it, so that the focus returns to where it was before. */
export function closeModal() {
  shownView = '';
  if (!dialog().open) return;
  dialog().close();
  const back = document.activeElement;
  if (!(back instanceof HTMLInputElement)) return;
  // Chromium returns the focus to a field but not the caret, so typed text would be lost.
  back.blur();
  back.focus();
}

/** Opens the dialog if it now contains a form. */
export function showModal() {
  const form = /** @type {HTMLElement | null} */ (dialog().querySelector('form.modal'));
  if (form === null) return;
  if (!dialog().open) dialog().showModal();
  const { view = '' } = form.dataset;
  if (view !== shownView) {
    shownView = view;
    shownErrors = '';
    focusFirst(form, '[data-focus]');
    // A form is read from its top, wherever its first field or button is.
    for (const part of [form, ...form.querySelectorAll('*')]) part.scrollTop = 0;
  }
  const errors = [...form.querySelectorAll('.error')].map((error) => error.textContent).join();
  if (errors !== shownErrors) {
    shownErrors = errors;
    if (errors !== '') focusFirst(form, '[aria-invalid]')?.scrollIntoView({ block: 'center' });
  }
}

/**
 * @param {HTMLElement} form
 * @param {string} preferred
 * @returns {HTMLElement | null} what has the focus now
 */
function focusFirst(form, preferred) {
  const found = /** @type {HTMLElement | null} */ (
    form.querySelector(preferred) ?? form.querySelector('.blocks :is(input, select, textarea, button, a)')
  );
  found?.focus({ preventScroll: true });
  return found;
}

/**
 * @param {string} viewId
 * @param {boolean} cleared whether the whole stack closes
 */
function closeView(viewId, cleared) {
  return inSlack('close', { viewId, cleared });
}

/** @param {HTMLElement} form */
async function submit(form) {
  const answer = await inSlack('submit', { viewId: form.dataset.view, values: valuesIn(form) });
  // Slack's own words when the app fails to respond.
  if (answer?.outcome === 'failed') toast('We had some trouble connecting. Try again?');
}

/** Makes the dialog submit its values, and report when it is closed. */
export function startModal() {
  dialog().addEventListener('submit', (event) => {
    event.preventDefault();
    void submit(/** @type {HTMLElement} */ (event.target));
  });
  dialog().addEventListener('cancel', (event) => {
    event.preventDefault();
    if (shownView !== '') void closeView(shownView, true);
  });
  dialog().addEventListener('click', (event) => {
    const button = /** @type {Element} */ (event.target).closest('[data-close]');
    if (button) void closeView(shownView, button.getAttribute('data-close') === 'all');
  });
}

/**
 * Shows an element's confirmation dialog, if it has one.
 * @param {string | undefined} json
 * @returns {Promise<boolean>}
 */
export function isConfirmed(json) {
  if (json === undefined) return Promise.resolve(true);
  const { title, text, yes, deny, style } = JSON.parse(json);
  const box = /** @type {HTMLDialogElement} */ (document.getElementById('confirm'));
  const [no, go] = /** @type {HTMLButtonElement[]} */ ([...box.querySelectorAll('button')]);
  const say = (/** @type {string} */ selector, /** @type {string} */ words) => {
    const place = box.querySelector(selector);
    if (place) place.textContent = words;
  };
  say('h2', title);
  say('p', text);
  if (no) no.textContent = deny || 'Cancel';
  if (go) {
    go.textContent = yes || 'Yes';
    go.className = `btn ${style ?? 'primary'}`;
  }
  box.returnValue = 'no';
  box.showModal();
  return new Promise((resolve) => {
    box.addEventListener('close', () => resolve(box.returnValue === 'yes'), { once: true });
  });
}
