import type { User } from './data.ts';
import { escaped } from './html.ts';
import type { Reply } from './reply.ts';

const STYLE = `
  :root {
    color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
    --page: #f1f4f4; --card: #fff; --words: #1d1c1d; --quiet: #586068; --line: #c9d1d3; --accent: #34517d;
  }
  @media (prefers-color-scheme: dark) {
    :root { --page: #15191c; --card: #1f2529; --words: #e8e8e8; --quiet: #a9b2b8; --line: #465056; --accent: #9dbcf0; }
  }
  body { margin: 0; background: var(--page); color: var(--words); }
  main { box-sizing: border-box; max-width: 30rem; margin: 2.5rem auto; padding: 1.6rem; background: var(--card);
    border: 1px solid var(--line); border-radius: 12px; }
  header { margin-bottom: 1rem; color: var(--accent); font-weight: 700; }
  h1 { margin: 0 0 .6rem; font-size: 1.35rem; line-height: 1.3; }
  p { margin: 0 0 .6rem; overflow-wrap: anywhere; }
  .quiet { margin: 1rem 0 0; color: var(--quiet); font-size: .9rem; }
  fieldset { border: 1px solid var(--line); border-radius: 8px; padding: .4rem 1rem .6rem; margin: 1rem 0; }
  legend { padding: 0 .4rem; }
  label { display: flex; gap: .6rem; padding: .4rem 0; }
  input { width: 1.1rem; height: 1.1rem; margin: .25rem 0 0; accent-color: var(--accent); }
  button { font: inherit; font-weight: 600; padding: .5rem 1.4rem; margin-right: .5rem; border: 1px solid var(--line);
    border-radius: 8px; background: none; color: inherit; }
  button[value=allow] { border-color: var(--accent); background: var(--accent); color: var(--card); }
  button:focus-visible, input:focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }`;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

type Asking = {
  clientId: string;
  scope: string;
  redirectUri: string;
  users: readonly User[];
  /** The address of whom the page selects at first; nobody if there is no such user, and the first of all without one. */
  expected?: string | undefined;
};

/**
 * Returns the page on which a person chooses who they are and allows or denies access. It posts `user` and `decision` (`allow`, `deny`) to
 * its own address.
 */
export function grantPage({ clientId, scope, redirectUri, users, expected }: Asking): Reply {
  const selected = expected ?? users[0]?.email;
  const choices = users.map(
    ({ email, name }) =>
      `<label><input type="radio" name="user" value="${escaped(email)}" required${email === selected ? ' checked' : ''}>` +
      `${escaped(name)} (${escaped(email)})</label>`,
  );
  const main = `<h1>Let <strong>${escaped(clientId)}</strong> use your account?</h1>
<p>It will be able to see what you see here, and create subscriptions for you.</p>
<form method="post">
<fieldset><legend>Who are you?</legend>
${choices.join('\n')}
</fieldset>
<button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Deny</button>
</form>
<p class="quiet">Scope: ${escaped(scope)}. Next you’ll go back to ${escaped(new URL(redirectUri).origin)}.</p>`;
  return page(200, 'Grant access', main);
}

/** Returns the page for a request so wrong that nothing may be sent back to the app. */
export function refusalPage(message: string): Reply {
  return page(400, 'Not possible', `<h1>Access can’t be granted</h1>\n<p>${escaped(message)}</p>`);
}

function page(status: number, title: string, main: string): Reply {
  const body = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} – practice service</title><style>${STYLE}</style></head>
<body><main><header>Practice service</header>
${main}
</main></body>
</html>`;
  return { status, headers: HEADERS, body };
}
