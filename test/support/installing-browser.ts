import { Agent, request } from 'node:http';
import type { Stage } from './stage.ts';

/** What a browser shows. */
export type Shown = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
};

/** Opens a browser with a cookie jar that does not follow redirects automatically. */
export function openBrowser() {
  const cookies = new Map<string, string>();
  const agent = new Agent({ keepAlive: true });

  function open(url: string, method = 'GET'): Promise<Shown> {
    return new Promise((resolve, reject) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const sent = request(url, { method, agent, headers: cookie === '' ? {} : { cookie } }, (answer) => {
        for (const line of answer.headers['set-cookie'] ?? []) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
          cookies.set(name, value);
        }
        let text = '';
        answer.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
      });
      sent.on('error', reject).end();
    });
  }

  return {
    open,
    cookies,
    /** Opens the bot's install page; returns the URL of Slack's page that it redirects to. */
    async start(publicUrl: string): Promise<string> {
      const { status, headers } = await open(`${publicUrl}/slack/install`);
      if (status !== 302) throw new Error(`the install page answered ${status}`);
      return String(headers.location);
    },
    close: () => agent.destroy(),
  };
}

export type Browser = ReturnType<typeof openBrowser>;

/** Returns the heading of a page. */
export function headingOf({ text }: Shown): string {
  return /<h1>(.*?)<\/h1>/.exec(text)?.[1] ?? '';
}

/** Opens the install page so many times, in 25 browsers; returns how often each status came back. */
export async function visitInstallPage(publicUrl: string, times: number): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  const visits = Array.from({ length: 25 }, async () => {
    const visitor = openBrowser();
    for (let count = 0; count < times / 25; count += 1) {
      const { status } = await visitor.open(`${publicUrl}/slack/install`);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    visitor.close();
  });
  await Promise.all(visits);
  return statuses;
}

/** Counts the rows in each table of the bot. */
export async function rowsOf({ database }: Pick<Stage, 'database'>): Promise<Record<string, number>> {
  const { pool } = database.connect();
  const { rows: tables } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'plancast'`,
  );
  const counts = tables.map(async ({ name }) => {
    const { rows } = await pool.query(`select count(*)::int as n from plancast."${name}"`);
    return [name, Number(rows[0].n)] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}
