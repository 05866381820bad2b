import { request as send } from 'node:http';
import { expect } from 'vitest';

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
};

type Browser = ReturnType<ReturnType<typeof makePageBrowsers>['openBrowser']>;

/**
 * Opens the bot's pages without a browser.
 * @param publicUrl the public URL that the bot is configured with
 * @param local the address that it listens on
 */
export function makePageBrowsers(publicUrl: string, local: string) {
  /** Opens a browser with its own cookies that behaves on our pages as Chromium does. Only `open` follows a redirect. */
  function openBrowser() {
    const cookies = new Map<string, string>();
    const ask = async (
      method: string,
      url: string,
      headers: Record<string, string> = {},
    ): Promise<Answer> => {
      const target = new URL(url, publicUrl);
      expect(target.origin).toBe(new URL(publicUrl).origin);
      const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ');
      const answer = await askLocal(method, target.pathname + target.search, {
        ...(cookie === '' ? {} : { cookie }),
        ...headers,
      });
      for (const line of [answer.headers['set-cookie'] ?? []].flat()) keep(cookies, line);
      return answer;
    };
    return {
      cookies,
      ask,
      open: async (url: string, headers?: Record<string, string>) => {
        const answer = await ask('GET', url, headers);
        return answer.status === 303 ? ask('GET', String(answer.headers.location)) : answer;
      },
      /** The page sends no referrer, so the form's origin is null (Fetch standard, 3.2). */
      press: (url: string) => ask('POST', url, { origin: 'null', 'sec-fetch-site': 'same-origin' }),
    };
  }

  /** Sends headers that `fetch` would not, such as another host. */
  function askLocal(method: string, path: string, headers: Record<string, string>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const outgoing = send(`${local}${path}`, { method, headers }, (response) => {
        response.setEncoding('utf8');
        let text = '';
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
        response.on('error', reject);
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
  }

  /** Opens the link, presses its button, and returns the URL of the service's page that the browser is sent to. */
  async function goToService(browser: Browser, url: string): Promise<string> {
    await browser.open(url);
    const sent = await browser.press(url);
    expect(sent.status).toBe(303);
    return String(sent.headers.location);
  }

  return { openBrowser, askLocal, goToService };
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(/;\s*/);
  const [name = '', value = ''] = pair.split('=');
  const isOver = attributes.some((attribute) => /^expires=Thu, 01 Jan 1970/i.test(attribute));
  if (isOver) cookies.delete(name);
  else cookies.set(name, value);
}
