import { unescaped } from './html.ts';

/**
 * Walks the service's authorize page over HTTP as a person would: opens it, picks the user, presses the
 * button. Gives the answer to that (or the page's own, where it offers no choice), redirects not
 * followed. Throws where the page does not offer the user.
 * @param url the whole address of the page, query included
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
 * The same, for the address that the browser is then sent to: the redirect URI with `code` and `state`,
 * or with `error` and `state`. Throws where there is no redirect.
 */
export async function authorizeAs(
  url: string,
  email: string,
  decision: 'allow' | 'deny' = 'allow',
): Promise<string> {
  const answer = await answerAuthorizePage(url, email, decision);
  const location = answer.headers.get('location');
  if (location === null) throw new Error(`The authorize page answered ${answer.status} and no redirect.`);
  return location;
}
