import { answerLogged } from './api/handle-call.ts';
import { refusedBlocks } from './block-kit.ts';
import { type Content, readContent, saysSomething } from './content.ts';
import type { Answer } from './faults.ts';
import { type Fields, fieldsOf, parseJson, stringOf } from './json.ts';
import type { Message } from './messages.ts';
import type { ResponseUrl } from './response-urls.ts';
import type { ApiCall, State } from './state.ts';

const plain = (status: number, body: string): Answer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
});

function refuse(state: State, { teamId }: ResponseUrl, status: number, sentence: string): Answer {
  state.violations.add({ kind: 'response-url', method: 'response_url', sentence, teamId });
  return plain(status, sentence);
}

function originalOf(state: State, { messageId }: ResponseUrl): Message | undefined {
  const message = messageId === undefined ? undefined : state.messages.byId(messageId);
  return message?.deletedAt === undefined ? message : undefined;
}

/** Posts a new message, visible only to the person unless `response_type` is `in_channel`. */
function postNew(state: State, url: ResponseUrl, content: Content, body: Fields): void {
  const { teamId, channelId, userId } = url;
  const inChannel = body.response_type === 'in_channel';
  state.messages.post({
    teamId,
    channelId,
    viewerId: inChannel ? undefined : userId,
    content,
    threadTs: stringOf(body.thread_ts),
    via: 'response_url',
  });
}

function carryOut(state: State, url: ResponseUrl, body: unknown): Answer {
  const refusal = state.responseUrls.use(url);
  if (refusal !== undefined) return refuse(state, url, 404, refusal);
  const fields = fieldsOf(body);
  const original = originalOf(state, url);
  if (fields.delete_original === true) {
    if (original === undefined) return refuse(state, url, 404, 'message_not_found');
    state.messages.remove(original);
    return plain(200, 'ok');
  }
  const content = readContent(fields);
  if ('error' in content) return refuse(state, url, 400, content.error);
  const { refusedBlocks: refused } = state.directory.workspace(url.teamId);
  if (refusedBlocks(content.blocks, refused, '/blocks').length > 0) return plain(400, 'invalid_blocks');
  if (!saysSomething(content)) return refuse(state, url, 400, 'no_text');
  // An ephemeral message stays ephemeral: replacing it never publishes it (docs: handling user interaction).
  if (fields.replace_original === true && original !== undefined) state.messages.edit(original, content);
  else postNew(state, url, content, fields);
  return plain(200, 'ok');
}

export interface ResponseUrlRequest {
  /** The path below the practice Slack's origin. */
  path: string;
  body: string;
  userAgent: string | undefined;
}

/** Answers a POST to a response URL. Unknown URLs and used-up ones get a 404. */
export async function handleResponseUrl(
  state: State,
  { path, body, userAgent }: ResponseUrlRequest,
): Promise<Answer> {
  const url = state.responseUrls.find(path);
  const parsed = parseJson(body);
  const call: ApiCall = {
    method: 'response_url',
    args: fieldsOf(parsed),
    teamId: url?.teamId,
    userAgent,
    at: state.now(),
    status: undefined,
    outcome: undefined,
    faulted: false,
  };
  return await answerLogged(state, call, [url?.channelId, url?.userId], () => {
    if (url === undefined) return plain(404, 'no_such_url');
    return parsed === undefined ? refuse(state, url, 400, 'invalid_payload') : carryOut(state, url, parsed);
  });
}
