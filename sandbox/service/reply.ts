import { escaped } from './html.ts';
import type { SwitchBoard } from './switches.ts';

/** A response before it is written to the connection. */
export type Reply = { status: number; headers: Readonly<Record<string, string>>; body: string };

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Returns a JSON response that must not be cached. */
export function json(status: number, value: unknown, headers: Record<string, string> = {}): Reply {
  return {
    status,
    headers: { 'content-type': JSON_TYPE, 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(value),
  };
}

export const noContent: Reply = { status: 204, headers: {}, body: '' };

/** Returns an error of the subscription endpoints, with the body as switched. */
export function refusal(
  refused: { status: number; message: string; headers?: Record<string, string> | undefined },
  switches: SwitchBoard,
): Reply {
  const { status, message, headers = {} } = refused;
  const body = errorBodies[switches.get('errorBody')](message, status);
  return {
    status,
    headers: { ...(body.type === '' ? {} : { 'content-type': body.type }), ...headers },
    body: body.text,
  };
}

type ErrorBody = (message: string, status: number) => { type: string; text: string };

const errorBodies: Readonly<Record<'json' | 'text' | 'html' | 'long text' | 'empty', ErrorBody>> = {
  json: (Message, status) => ({ type: JSON_TYPE, text: JSON.stringify({ ErrorCode: status * 10, Message }) }),
  text: (message) => ({ type: 'text/plain; charset=utf-8', text: message }),
  html: (message, status) => ({
    type: 'text/html; charset=utf-8',
    text: `<!doctype html><title>${status}</title><h1>Server Error</h1><p>${escaped(message)}</p>`,
  }),
  'long text': (message) => ({
    type: 'text/plain',
    text: `${message}\n${'   at Service.Handlers.Invoke(Request request)\n'.repeat(200)}`,
  }),
  empty: () => ({ type: '', text: '' }),
};
