import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { json, type Request, type Response, Router } from 'express';
import { renderGallery } from './page/gallery.ts';
import { html } from './page/html.ts';
import { botFace } from './page/icons.ts';
import { type LookingAt, readLookingAt } from './page/looking-at.ts';
import type { Regions } from './page/screen.ts';
import { renderPage } from './page/shell.ts';

/** What the page needs from the rest of the demo. */
export type PageDeps = {
  readonly screen: (looking: LookingAt) => Promise<Regions>;
  /** Calls the listener whenever the screen may have changed. Returns a function that stops it. */
  readonly onChange: (listener: () => void) => () => void;
  /** Acts as a person in the practice Slack: `command`, `click`, … */
  readonly actInSlack: (act: string, body: unknown) => Promise<Acted>;
  /** Acts as a user of the practice service. */
  readonly actAtService: (body: unknown) => Promise<Acted>;
  /** Changes the practice world itself: `clock`, `faults`, … */
  readonly actInDemo: (act: string, body: unknown) => Promise<Acted>;
  /** Ends the practice world and starts a new one. */
  readonly reset: () => Promise<void>;
};

/** A response of a practice server, passed on. */
export type Acted = { readonly status: number; readonly body: unknown };

const resolve = createRequire(import.meta.url).resolve;
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const galleryFile = here('gallery.json');

/** The page's files, by the name it requests them with. */
export const pageFiles: Readonly<Record<string, { path: string; type: string }>> = {
  'slack-blocks-to-jsx.css': { path: resolve('slack-blocks-to-jsx/dist/style.css'), type: 'css' },
  ...Object.fromEntries(
    readdirSync(here('browser')).map((name) => [
      name,
      { path: here(`browser/${name}`), type: extname(name) },
    ]),
  ),
};

const headers = {
  'cache-control': 'no-store',
  // The block renderer writes inline styles.
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; " +
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Minimum milliseconds between two events, so that an upload of many files causes one redraw. */
const tickMs = 150;

/** Serves the page and its API: what people see, kept up to date, and what they do. */
export function pageRoutes(deps: PageDeps): Router {
  const { screen, onChange, actInSlack, actAtService, actInDemo, reset } = deps;
  const router = Router();
  router.use((request, response, next) => {
    response.set(headers);
    // Protects against DNS rebinding: another site's name that points to this machine is refused.
    if (/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(request.headers.host ?? '')) next();
    else response.status(421).type('text').send('This page is for this machine alone.');
  });
  router.get('/', async (request, response) => {
    const regions = await screen(lookingOf(request));
    response.type('html').send(renderPage(regions).text);
  });
  router.get(
    ['/projects/:id', '/projects/:id/items/:item', '/sessions/:id'],
    ({ path, params }, response) => {
      const { id, item } = params as { readonly id: string; readonly item?: string };
      const kind = path.startsWith('/sessions/') ? 'session' : 'project';
      const open = item === undefined ? `${kind}:${id}` : `item:${id}:${item}`;
      response.redirect(`/?${new URLSearchParams({ pane: 'service', open }).toString()}`);
    },
  );
  router.get('/screen', async (request, response) => {
    const regions = await screen(lookingOf(request));
    const texts = Object.entries(regions).map(([name, { text }]) => [name, text]);
    response.json(Object.fromEntries(texts));
  });
  router.get('/changes', (request, response) => sendChanges({ request, response, onChange }));
  let gallery: Promise<string> | undefined;
  router.get('/gallery', async (_request, response) => {
    gallery ??= galleryPage();
    response.type('html').send(await gallery);
  });
  router.get('/face.svg', (_request, response) => {
    response
      .type('svg')
      .send(html`${botFace}`.text.replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"'));
  });
  router.get('/:file', async (request, response, next) => {
    const name = String(request.params.file);
    const file = Object.hasOwn(pageFiles, name) ? pageFiles[name] : undefined;
    if (file === undefined) return next();
    response.type(file.type).send(await readFile(file.path));
  });
  // Only JSON is accepted, so that another site's form cannot act here.
  router.use(json({ type: 'application/json', limit: '1mb' }));
  router.post(['/slack/:act', '/service', '/demo/:act', '/reset'], (request, response, next) => {
    if (request.body !== undefined) next();
    else response.status(415).json({ error: 'Send JSON.' });
  });
  router.post('/slack/:act', async (request, response) => {
    const { status, body: answer } = await actInSlack(String(request.params.act), request.body);
    response.status(status).json(answer);
  });
  router.post('/service', async (request, response) => {
    const { status, body: answer } = await actAtService(request.body);
    response.status(status).json(answer);
  });
  router.post('/demo/:act', async (request, response) => {
    const { status, body: answer } = await actInDemo(String(request.params.act), request.body);
    response.status(status).json(answer);
  });
  router.post('/reset', async (_request, response) => {
    await reset();
    response.json({});
  });
  return router;
}

async function galleryPage(): Promise<string> {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return renderGallery(JSON.parse(await readFile(galleryFile, 'utf8')), timeZone).text;
}

function lookingOf(request: Request): LookingAt {
  return readLookingAt(new URL(request.originalUrl, 'http://page.invalid').searchParams);
}

/** Server-sent events without content: the page then reloads the screen. */
function sendChanges({
  request,
  response,
  onChange,
}: {
  request: Request;
  response: Response;
  onChange: PageDeps['onChange'];
}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let waiting: NodeJS.Timeout | undefined;
  const send = (): void => {
    waiting ??= setTimeout(() => {
      waiting = undefined;
      response.write('data: changed\n\n');
    }, tickMs);
  };
  send();
  const stop = onChange(send);
  request.on('close', () => {
    stop();
    clearTimeout(waiting);
  });
}
