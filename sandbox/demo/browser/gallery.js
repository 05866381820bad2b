import './theme.js';

const find = /** @type {HTMLInputElement} */ (document.getElementById('find'));
const nothing = /** @type {HTMLElement} */ (document.querySelector('.nothing'));

find.addEventListener('input', () => {
  const words = find.value.trim().toLowerCase();
  let found = 0;
  for (const group of document.querySelectorAll('[data-group]')) {
    let inGroup = 0;
    for (const item of group.querySelectorAll('[data-title]')) {
      const text = `${item.getAttribute('data-title')} ${item.textContent}`.toLowerCase();
      const isFound = text.includes(words);
      /** @type {HTMLElement} */ (item).hidden = !isFound;
      if (isFound) inGroup += 1;
    }
    /** @type {HTMLElement} */ (group).hidden = inGroup === 0;
    found += inGroup;
  }
  nothing.textContent = found === 0 ? `Nothing found for “${find.value.trim()}”.` : '';
});

// The pictures look real, but no bot is behind them.
document.querySelector('main')?.addEventListener('click', (event) => {
  if (/** @type {Element} */ (event.target).closest('a')) event.preventDefault();
});
