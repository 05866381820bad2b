import type { RequestHandler } from 'express';
import { html, page } from './pages/page.ts';

const title = 'Not in service yet';
const body = html`<p>Plancast isn’t working at this address yet. Ask your Plancast admin to run <kbd>npm run take-over</kbd>.</p>`;

/** Answers every page of a bot on standby, at an address without the code and state that a sign-in ends with. */
export function standbyPage({ publicUrl }: { readonly publicUrl: string }): RequestHandler {
  return (request, response) => {
    if (request.path === '/oauth/callback') return response.redirect(303, `${publicUrl}/linked`);
    if (request.originalUrl.includes('?')) return response.redirect(303, `${publicUrl}${request.path}`);
    response.set('retry-after', '60').status(503).send(page({ title, body }));
  };
}
