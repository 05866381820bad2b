/** Focusable elements of a list. */
const focusable = 'a[href], button:not([disabled]), summary';

/** @param {Element} list */
const stops = (list) =>
  /** @type {HTMLElement[]} */ ([...list.querySelectorAll(focusable)]).filter((stop) =>
    stop.checkVisibility(),
  );

/**
 * Moves the focus within a list.
 * @param {KeyboardEvent} event
 */
function moveIn(event) {
  const target = /** @type {Element} */ (event.target);
  const list = target.closest('[data-arrows]');
  if (!list || !target.matches(focusable)) return;
  const all = stops(list);
  const now = all.indexOf(/** @type {HTMLElement} */ (target));
  /** @type {Record<string, number>} */
  const places = {
    ArrowDown: now + 1,
    ArrowRight: now + 1,
    ArrowUp: now - 1,
    ArrowLeft: now - 1,
    Home: 0,
    End: -1,
  };
  const place = places[event.key];
  if (place === undefined) return;
  event.preventDefault();
  all.at(place % all.length)?.focus();
}

/**
 * Closes the menu that has the focus, or any other open one.
 * @param {KeyboardEvent} event
 */
function closeMenu(event) {
  const inside = /** @type {Element} */ (event.target).closest('details.menu[open], details.overflow[open]');
  const menu = inside ?? document.querySelector('details.menu[open], details.overflow[open]');
  if (!(menu instanceof HTMLDetailsElement)) return;
  menu.open = false;
  if (inside) menu.querySelector('summary')?.focus();
}

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') closeMenu(event);
  else moveIn(event);
});

// A click outside a menu closes it, and so does a click on one of its buttons.
document.addEventListener('click', (event) => {
  const target = /** @type {Element} */ (event.target);
  for (const menu of document.querySelectorAll('details.menu[open], details.overflow[open]')) {
    const stays = menu.contains(target) && !target.closest('button');
    if (!stays) /** @type {HTMLDetailsElement} */ (menu).open = false;
  }
});
