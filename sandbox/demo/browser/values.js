/**
 * Returns the values of a view's controls in the form the practice Slack takes: by block id, then action id. If the two are the same
 * word, it looks for the value directly below it.
 *
 * @param {ParentNode} root
 * @returns {Record<string, unknown>}
 */
export function valuesIn(root) {
  /** @type {Record<string, any>} */
  const values = {};
  for (const control of root.querySelectorAll('[data-control]:not([data-press])')) {
    const { block = '', action = '' } = /** @type {HTMLElement} */ (control).dataset;
    const held = heldBy(/** @type {HTMLElement} */ (control));
    values[block] = block === action ? held : { ...values[block], [action]: held };
  }
  return values;
}

/**
 * Returns the value of one control: null if empty.
 * @param {HTMLElement} control
 */
export function heldBy(control) {
  const { control: type = '' } = control.dataset;
  const isGroup = control.classList.contains('boxes');
  if (!isGroup) return /** @type {HTMLInputElement} */ (control).value || null;
  const ticked = [...control.querySelectorAll('input:checked')].map(
    (box) => /** @type {HTMLInputElement} */ (box).value,
  );
  return type === 'radio_buttons' ? (ticked[0] ?? null) : ticked;
}
