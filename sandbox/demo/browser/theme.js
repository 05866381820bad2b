/** The block renderer's styles take the theme from an attribute; the page follows the system. */
const dark = matchMedia('(prefers-color-scheme: dark)');

function follow() {
  document.body.dataset.theme = dark.matches ? 'dark' : 'light';
}

follow();
dark.addEventListener('change', follow);
