import type { RequestHandler } from 'express';
import { html } from './pages/html.ts';
import { page } from './pages/page.ts';

const title = 'Not in service yet';
const body = html`<p>Plancast is standing by at this address. Ask your Plancast admin to put it into service.</p>`;

/** Answers every page of a bot on standby, at an address without the code and state that a sign-in ends with. */
export function standbyPage({ publicUrl }: { readonly publicUrl: string }): RequestHandler {
  return (request, response) => {
    if (request.originalUrl.includes('?')) return response.redirect(303, `${publicUrl}${request.path}`);
    response.set('retry-after', '60').status(503).send(page({ title, body }));
  };
}
