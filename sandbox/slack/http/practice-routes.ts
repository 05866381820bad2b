import { json, type Request, type Response, Router } from 'express';
import { type Fields, fieldsOf, stringOf } from '../json.ts';
import type { Message } from '../messages.ts';
import {
  deleteChannel,
  inviteBot,
  openHome,
  removeBot,
  setArchived,
  shareChannel,
  unshareChannel,
} from '../people/channel-life.ts';
import { click } from '../people/click.ts';
import { command, refusesCommand } from '../people/command.ts';
import type { Stage } from '../people/interaction.ts';
import { closeView, submitView } from '../people/submit-view.ts';
import { suggest } from '../people/suggest.ts';
import { write } from '../people/write.ts';
import type { View } from '../views.ts';
import { practiceState } from './practice-state.ts';

type Act = (stage: Stage, body: Fields) => Promise<Fields>;

function need(body: Fields, key: string): string {
  const value = stringOf(body[key]);
  if (value === undefined) throw new Error(`"${key}" is missing.`);
  return value;
}

/** Returns the message or view that the request refers to: by `messageId`, by `channel` and `ts`, or by `viewId`. */
function surfaceNamed({ state }: Stage, body: Fields): { message?: Message; view?: View } {
  const viewId = stringOf(body.viewId);
  if (viewId !== undefined) {
    const view = state.views.find(viewId);
    if (view === undefined) throw new Error(`There is no view ${viewId}.`);
    return { view };
  }
  const messageId = stringOf(body.messageId) ?? `${need(body, 'channel')}:${need(body, 'ts')}`;
  const message = state.messages.byId(messageId);
  if (message === undefined) throw new Error(`There is no message ${messageId}.`);
  return { message };
}

/** Splits `/subscribe project 1` into command and text. */
function splitLine(body: Fields): { command: string; text: string } {
  const line = stringOf(body.line);
  if (line === undefined) return { command: need(body, 'command'), text: stringOf(body.text) ?? '' };
  const [, name = line, text = ''] = /^(\S+)\s?(.*)$/s.exec(line) ?? [];
  return { command: name, text };
}

/** What a person can do from the page, keyed by the last path segment. */
const acts: Record<string, Act> = {
  async command(stage, body) {
    const where = { user: need(body, 'user'), channel: need(body, 'channel') };
    const line = splitLine(body);
    if (refusesCommand(stage, { ...where, command: line.command })) return {};
    const { status, failure } = await command(stage, { ...where, ...line, typed: true });
    return { status, failure };
  },
  async write(stage, body) {
    await write(stage, {
      user: need(body, 'user'),
      channel: need(body, 'channel'),
      text: need(body, 'text'),
    });
    return {};
  },
  async click(stage, body) {
    const { status, failure } = await click(stage, {
      user: need(body, 'user'),
      ...surfaceNamed(stage, body),
      actionId: need(body, 'actionId'),
      blockId: stringOf(body.blockId),
      value: body.value,
      state: fieldsOf(body.state),
    });
    return { status, failure };
  },
  async submit(stage, body) {
    const { status, failure, errors, outcome } = await submitView(stage, {
      user: need(body, 'user'),
      viewId: need(body, 'viewId'),
      values: fieldsOf(body.values),
    });
    return { status, failure, errors, outcome };
  },
  async close(stage, body) {
    const done = await closeView(stage, {
      user: need(body, 'user'),
      viewId: need(body, 'viewId'),
      cleared: body.cleared === true,
    });
    return { status: done?.status ?? null, failure: done?.failure };
  },
  async suggest(stage, body) {
    const { status, failure, options } = await suggest(stage, {
      user: need(body, 'user'),
      ...surfaceNamed(stage, body),
      actionId: need(body, 'actionId'),
      blockId: stringOf(body.blockId),
      value: stringOf(body.value),
    });
    return { status, failure, options };
  },
  async home(stage, body) {
    const { status, failure } = await openHome(stage, need(body, 'user'));
    return { status, failure };
  },
  async invite(stage, body) {
    const { status, failure } = await inviteBot(stage, need(body, 'channel'), need(body, 'user'));
    return { status, failure };
  },
  async remove(stage, body) {
    const { status, failure } = await removeBot(stage, need(body, 'channel'), need(body, 'user'));
    return { status, failure };
  },
  async archive(stage, body) {
    const how = { archived: true, by: need(body, 'user') };
    const { status, failure } = await setArchived(stage, need(body, 'channel'), how);
    return { status, failure };
  },
  async unarchive(stage, body) {
    const how = { archived: false, by: need(body, 'user') };
    const { status, failure } = await setArchived(stage, need(body, 'channel'), how);
    return { status, failure };
  },
  async delete(stage, body) {
    const { status, failure } = await deleteChannel(stage, need(body, 'channel'), need(body, 'user'));
    return { status, failure };
  },
  async share(stage, body) {
    const { status, failure } = await shareChannel(stage, need(body, 'channel'), need(body, 'team'));
    return { status, failure };
  },
  async unshare(stage, body) {
    const { status, failure } = await unshareChannel(stage, need(body, 'channel'), need(body, 'team'));
    return { status, failure };
  },
};

/** Server-sent events: the number of changes so far, sent immediately and after every change. */
function stream({ state: { changes } }: Stage, request: Request, response: Response): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const notify = (): void => {
    response.write(`event: changed\ndata: ${changes.count()}\n\n`);
  };
  notify();
  const stop = changes.listen(notify);
  request.on('close', stop);
}

/** Serves the API of the page on which people act: what they see and what they do, as JSON. */
export function practiceRoutes(stage: Stage, allowedOrigin: string | undefined): Router {
  const router = Router();
  router.use('/practice', (request, response, next) => {
    if (allowedOrigin !== undefined) {
      response.set({
        'access-control-allow-origin': allowedOrigin,
        'access-control-allow-headers': 'content-type',
        vary: 'origin',
      });
    }
    if (request.method === 'OPTIONS') response.status(204).end();
    else next();
  });
  router.get('/practice/state', (request, response) => {
    const query = new URL(request.originalUrl, 'http://practice.invalid').searchParams;
    const channelId = query.get('channel') ?? '';
    const userId = query.get('user') ?? '';
    response.set('cache-control', 'no-store').json(practiceState(stage.state, { channelId, userId }));
  });
  router.get('/practice/stream', (request, response) => stream(stage, request, response));
  // Only JSON is accepted, so that another site's form cannot act here without a CORS preflight.
  router.post('/practice/:act', json({ type: 'application/json' }), async (request, response) => {
    const name = String(request.params.act);
    const act = Object.hasOwn(acts, name) ? acts[name] : undefined;
    if (act === undefined) return void response.status(404).json({ error: `Nobody can "${name}" here.` });
    try {
      response.json(await act(stage, fieldsOf(request.body)));
    } catch (error) {
      // The page shows what a person cannot do (no such button, a required field empty).
      response.status(422).json({ error: error instanceof Error ? error.message : 'That did not work.' });
    }
  });
  return router;
}
