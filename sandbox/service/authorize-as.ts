import { unescaped } from './html.ts';

/**
 * Uses the service's authorize page over HTTP as a person would: opens it, chooses the user, presses the button. Returns the response (or
 * the page's own if it offers no choice) without following redirects. Throws if the page does not offer the user.
 * @param url the whole address of the page, including the query
 */
export async function answerAuthorizePage(
  url: string,
  email: string,
  decision: 'allow' | 'deny' = 'allow',
): Promise<Response> {
  const page = await fetch(url, { redirect: 'manual' });
  if (page.status !== 200) return page;
  const html = await page.text();
  const offered = [...html.matchAll(/name="user" value="([^"]*)"/g)].map(([, value]) =>
    unescaped(value ?? ''),
  );
  if (!offered.includes(email)) throw new Error(`The authorize page does not offer ${email}.`);
  return fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ user: email, decision }),
    redirect: 'manual',
  });
}

/**
 * Does the same and returns the address the browser is sent to: the redirect URI with `code` and `state`, or with `error` and `state`.
 * Throws if there is no redirect.
 */
export async function authorizeAs(
  url: string,
  email: string,
  decision: 'allow' | 'deny' = 'allow',
): Promise<string> {
  const answer = await answerAuthorizePage(url, email, decision);
  const location = answer.headers.get('location');
  if (location === null) throw new Error(`The authorize page answered ${answer.status} without a redirect.`);
  return location;
}
