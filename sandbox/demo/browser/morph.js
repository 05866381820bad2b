/**
 * Turns the content of `target` into `markup`, leaving unchanged parts alone: the focus, typed text, open details and
 * scroll positions stay as they are.
 *
 * @param {Element} target
 * @param {string} markup
 */
export function morphInto(target, markup) {
  const wanted = document.createElement('template');
  wanted.innerHTML = markup;
  morphChildren(target, wanted.content);
}

/** @param {Node} node */
function keyOf(node) {
  if (!(node instanceof Element)) return null;
  return node.getAttribute('data-key') ?? (node.id || null);
}

/**
 * @param {ParentNode & Node} target
 * @param {ParentNode & Node} wanted
 */
function morphChildren(target, wanted) {
  const keyed = new Map();
  for (const child of target.childNodes) {
    const key = keyOf(child);
    if (key !== null) keyed.set(key, child);
  }
  let at = target.firstChild;
  for (const want of [...wanted.childNodes]) {
    const key = keyOf(want);
    const match = key === null ? unkeyed(at, want) : keyed.get(key);
    if (match === undefined || match === null || match.nodeName !== want.nodeName) {
      target.insertBefore(want, at);
      continue;
    }
    if (match === at) at = at.nextSibling;
    else target.insertBefore(match, at);
    morphNode(match, want);
  }
  while (at !== null) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/**
 * @param {ChildNode | null} at
 * @param {Node} want
 */
function unkeyed(at, want) {
  return at !== null && keyOf(at) === null && at.nodeName === want.nodeName ? at : null;
}

/**
 * @param {Node} node
 * @param {Node} want
 */
function morphNode(node, want) {
  if (!(node instanceof Element && want instanceof Element)) {
    if (node.nodeValue !== want.nodeValue) node.nodeValue = want.nodeValue;
    return;
  }
  if (node.isEqualNode(want)) return;
  morphAttributes(node, want);
  // The options for what the person has typed are not known to the server's drawing.
  if (!node.hasAttribute(offered)) morphChildren(node, want);
}

/** The attribute of a control whose options came while the person typed. */
export const offered = 'data-offered';

/**
 * Attributes that the person at the page decides, not the server, by an element's role or name.
 * @type {Record<string, string[]>}
 */
const personal = {
  details: ['open', 'class'],
  combobox: ['aria-expanded', 'aria-activedescendant'],
  listbox: ['hidden'],
  option: ['hidden', 'aria-selected'],
};

/** @param {Element} node */
function keeperOf(node) {
  const kept = personal[node.getAttribute('role') ?? node.localName] ?? [];
  return (/** @type {string} */ name) => name === offered || kept.includes(name);
}

/**
 * @param {Element} node
 * @param {Element} want
 */
function morphAttributes(node, want) {
  const keeps = keeperOf(node);
  for (const { name } of [...node.attributes]) {
    if (!want.hasAttribute(name) && !keeps(name)) node.removeAttribute(name);
  }
  for (const { name, value } of want.attributes) {
    if (keeps(name) || node.getAttribute(name) === value) continue;
    node.setAttribute(name, value);
    if (name === 'selected' && node instanceof HTMLOptionElement) node.selected = true;
    // A new suggestion from the server replaces the old one unless the person typed something else.
    if (name === 'value' && node instanceof HTMLInputElement && document.activeElement !== node)
      node.value = value;
  }
}
