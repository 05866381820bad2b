import './theme.js';

const find = /** @type {HTMLInputElement} */ (document.getElementById('find'));

find.addEventListener('input', () => {
  const words = find.value.toLowerCase();
  for (const item of document.querySelectorAll('[data-title]')) {
    const title = item.getAttribute('data-title')?.toLowerCase() ?? '';
    /** @type {HTMLElement} */ (item).hidden = !title.includes(words);
  }
});

// The pictures look like the real thing, but nobody is behind them.
document.querySelector('.cases')?.addEventListener('click', (event) => {
  if (/** @type {Element} */ (event.target).closest('a')) event.preventDefault();
});
