import type { User } from './data.ts';
import { escaped } from './html.ts';
import type { Reply } from './reply.ts';

const STYLE = `
  :root { color-scheme: light dark; font: 18px/1.5 system-ui, sans-serif; }
  body { max-width: 34rem; margin: 3rem auto; padding: 0 1rem; }
  fieldset { border: 1px solid; border-radius: 8px; padding: 1rem; margin: 1.5rem 0; }
  label { display: block; padding: .4rem 0; }
  input { width: 1.1rem; height: 1.1rem; margin-right: .5rem; }
  button { font: inherit; padding: .6rem 1.4rem; margin-right: .5rem; border: 2px solid; border-radius: 8px; }
  button:focus-visible, input:focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
  dd { margin: 0 0 .5rem; overflow-wrap: anywhere; }`;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

type Asking = { clientId: string; scope: string; redirectUri: string; users: readonly User[] };

/**
 * The page on which a person says who they are and allows or denies. It posts `user` and `decision`
 * (`allow`, `deny`) back to the address it was fetched from.
 */
export function grantPage({ clientId, scope, redirectUri, users }: Asking): Reply {
  const choices = users.map(
    ({ email, name }, at) =>
      `<label><input type="radio" name="user" value="${escaped(email)}" required${at === 0 ? ' checked' : ''}>` +
      `${escaped(name)} (${escaped(email)})</label>`,
  );
  const main = `<h1>Sign in and grant access</h1>
<p><strong>${escaped(clientId)}</strong> asks to act on your behalf at the practice service.</p>
<dl><dt>Scopes</dt><dd>${escaped(scope)}</dd><dt>Goes back to</dt><dd>${escaped(new URL(redirectUri).origin)}</dd></dl>
<form method="post">
<fieldset><legend>Who are you?</legend>
${choices.join('\n')}
</fieldset>
<button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Deny</button>
</form>`;
  return page(200, 'Grant access', main);
}

/** What a person sees when the request is so wrong that nothing may be sent back to the app. */
export function refusalPage(message: string): Reply {
  return page(400, 'Not possible', `<h1>This cannot be granted</h1>\n<p>${escaped(message)}</p>`);
}

function page(status: number, title: string, main: string): Reply {
  const body = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} – practice service</title><style>${STYLE}</style></head>
<body><main>
${main}
</main></body>
</html>`;
  return { status, headers: HEADERS, body };
}
