/** The stylesheet of all pages, inlined in each. Its hash is in the Content-Security-Policy. */
export const style = `
:root { color-scheme: light dark; --paper: #f1f6f5; --card: #fff; --ink: #14211f; --quiet: #51625f; --line: #d5e2df;
  --accent: #0f766e; --accent-hover: #0b5f58; --on-accent: #fff; --soft: #edf7f5; --focus: #1d4ed8; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #0e1514; --card: #172120; --ink: #e8f1ef; --quiet: #a3b5b2; --line: #2b3a38;
    --accent: #2dd4bf; --accent-hover: #5eead4; --on-accent: #05302c; --soft: #1d2c2a; --focus: #93b4ff; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem; background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
main { max-width: 31rem; margin: 7vh auto 0; padding: 2rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .875rem; }
.brand { display: flex; align-items: center; gap: .625rem; margin: 0 0 1.5rem; font-weight: 600; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; }
p { margin: 0 0 1rem; text-wrap: pretty; }
main > :last-child, form { margin-bottom: 0; }
.warning { padding: .75rem 1rem; border-radius: .5rem; background: var(--soft); }
.quiet { color: var(--quiet); font-size: .9375rem; }
.center { text-align: center; }
.code { margin: 1.25rem 0; padding: 1rem; border-radius: .5rem; background: var(--soft); text-align: center;
  font: 600 2.25rem/1.2 ui-monospace, Menlo, Consolas, monospace; letter-spacing: .2em; text-indent: .2em; }
button, .button { display: block; width: 100%; margin: 1.5rem 0 1rem; padding: .75rem 1rem; border: 2px solid transparent;
  border-radius: .5rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600;
  text-align: center; text-decoration: none; cursor: pointer; }
button:hover, .button:hover { background: var(--accent-hover); }
a { color: var(--accent); text-underline-offset: .15em; }
a.button { color: var(--on-accent); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 3px; }
kbd { padding: .05em .3em; border: 1px solid var(--line); border-radius: .25rem; background: var(--soft); white-space: nowrap;
  font: .9em ui-monospace, Menlo, Consolas, monospace; }
.spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 30rem) {
  body { padding: 0; background: var(--card); }
  main { margin: 0; padding: 1.5rem 1.25rem; border: 0; }
}
@media (forced-colors: active) { button, .button { border-color: ButtonText; } }
`;
