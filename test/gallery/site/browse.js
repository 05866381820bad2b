// @ts-check
const find = /** @type {HTMLInputElement} */ (document.getElementById('find'));
const nothing = /** @type {HTMLElement} */ (document.getElementById('nothing'));
const scheme = /** @type {HTMLSelectElement} */ (document.getElementById('scheme'));

function search() {
  const words = find.value.trim();
  let found = 0;
  for (const group of document.querySelectorAll('[data-group]')) {
    let inGroup = 0;
    for (const item of group.querySelectorAll('[data-text]')) {
      const isFound = (item.getAttribute('data-text') ?? '').toLowerCase().includes(words.toLowerCase());
      /** @type {HTMLElement} */ (item).hidden = !isFound;
      if (isFound) inGroup += 1;
    }
    /** @type {HTMLElement} */ (group).hidden = inGroup === 0;
    found += inGroup;
  }
  nothing.textContent = found === 0 ? `Nothing found for “${words}”.` : '';
}

/** The pictures follow the system's color scheme until one is chosen. */
function show() {
  const { value } = scheme;
  document.documentElement.style.colorScheme = value === 'system' ? '' : value;
  const media = { system: '(prefers-color-scheme: dark)', light: 'not all', dark: 'all' }[value] ?? '';
  for (const source of document.querySelectorAll('source')) source.media = media;
}

find.addEventListener('input', search);
scheme.addEventListener('change', show);
// Restores what the browser kept from an earlier visit.
search();
show();
