/** The one stylesheet of all pages, inline in each: its hash is in the Content-Security-Policy. */
export const style = `
:root { color-scheme: light dark; --paper: #fbf8f3; --card: #fff; --ink: #2b2620; --quiet: #635a4f; --line: #e2d9cc;
  --accent: #9a3f1d; --on-accent: #fff; --focus: #1d4ed8; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #1d1a17; --card: #282420; --ink: #f3ece2; --quiet: #bdb2a4; --line: #463f37;
    --accent: #f0a27f; --on-accent: #2a130a; --focus: #93b4ff; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem; background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
main { max-width: 36rem; margin: 6vh auto 0; padding: 2rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .75rem; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; text-wrap: balance; }
h2 { margin: 1.75rem 0 .5rem; font-size: 1.0625rem; }
p, ul { margin: 0 0 1rem; }
ul { padding-left: 1.25rem; }
li { margin-bottom: .25rem; }
main > :last-child { margin-bottom: 0; }
.who { padding: .75rem 1rem; border-left: .25rem solid var(--accent); background: var(--paper); }
.quiet { color: var(--quiet); font-size: .9375rem; }
.code { margin: 1.5rem 0; font: 600 2.5rem/1.2 ui-monospace, Menlo, Consolas, monospace; letter-spacing: .2em;
  text-align: center; }
button, .button { display: block; box-sizing: border-box; width: 100%; margin: 1.5rem 0 1rem; padding: .8rem 1rem; border: 2px solid transparent;
  border-radius: .5rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600;
  text-align: center; text-decoration: none; cursor: pointer; }
a { color: var(--accent); }
a.button { color: var(--on-accent); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 3px; }
kbd { font: inherit; font-family: ui-monospace, Menlo, Consolas, monospace; padding: 0 .25em;
  border: 1px solid var(--line); border-radius: .25rem; background: var(--paper); }
footer { max-width: 36rem; margin: 1rem auto 0; text-align: center; color: var(--quiet); font-size: .875rem; }
.spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (forced-colors: active) { button, .button { border-color: ButtonText; } }
`;
