import { type Request, Router, text } from 'express';
import { handleCall } from '../api/handle-call.ts';
import { readArguments } from '../api/read-arguments.ts';
import { handleResponseUrl } from '../handle-response-url.ts';
import type { State } from '../state.ts';
import { sendAnswer } from './send-answer.ts';

const BODY_LIMIT = '4mb';

function bearerOf(request: Request): string | undefined {
  const [, token] = /^Bearer\s+(\S+)$/i.exec(request.get('authorization') ?? '') ?? [];
  return token;
}

/** OAuth clients may send id and secret as basic credentials instead of arguments. */
function basicCredentials(request: Request): Record<string, string> {
  const [, encoded] = /^Basic\s+(\S+)$/i.exec(request.get('authorization') ?? '') ?? [];
  if (encoded === undefined) return {};
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { client_id: decodeURIComponent(id), client_secret: decodeURIComponent(secret) };
}

function bodyOf(request: Request): string {
  const body: unknown = request.body;
  return typeof body === 'string' ? body : '';
}

/** Routes for the bot: the Web API and response URLs. */
export function apiRoutes(state: State): Router {
  const router = Router();
  router.use(['/api', '/hooks'], text({ type: () => true, limit: BODY_LIMIT }));
  router.all('/api/:method', async (request, response) => {
    const { args, token, unreadable } = readArguments({
      contentType: request.get('content-type') ?? '',
      body: bodyOf(request),
      query: new URL(request.originalUrl, 'http://practice.invalid').searchParams,
    });
    const answer = await handleCall(state, {
      method: String(request.params.method),
      args: { ...basicCredentials(request), ...args },
      token: bearerOf(request) ?? token,
      userAgent: request.get('user-agent'),
      unreadable,
    });
    sendAnswer(response, answer);
  });
  router.post('/hooks/*rest', async (request, response) => {
    const body = bodyOf(request);
    const userAgent = request.get('user-agent');
    sendAnswer(response, await handleResponseUrl(state, { path: request.path, body, userAgent }));
  });
  return router;
}
