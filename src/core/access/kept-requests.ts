import { randomBytes } from 'node:crypto';
import { minuteMs } from '../../lib/durations.ts';
import { parseJson } from '../../lib/text.ts';
import { makeRecords } from '../../store/tables/keyv-records.ts';
import type { Bot } from '../bot.ts';
import { type AnyRequest, anyRequestSchema, type RequestOf } from '../model/any-request.ts';
import type { Request } from '../model/request.ts';

/** As long as Slack accepts replies to a command. */
const pressedMs = 30 * minuteMs;
/** Slack: the longest value of a button. */
const longestValue = 2_000;
const keptForm = /^kept:([\w-]{16,64})$/;

/** Returns the value of a question's button, which asks for this request. `answers`: which questions are answered with it. */
export function keepAnswer(
  bot: Pick<Bot, 'keyv'>,
  request: Request,
  answers: Omit<RequestOf<'answer'>, 'act' | 'request'> = {},
): Promise<string> {
  return keepRequest(bot, { act: 'answer', request, ...answers });
}

/** Returns a request as the value of a button: itself if it fits, else the unguessable key of a record that lasts as long as it may be pressed. */
export async function keepRequest(
  bot: Pick<Bot, 'keyv'>,
  request: AnyRequest,
  { longest = longestValue, ttlMs = pressedMs } = {},
): Promise<string> {
  const value = JSON.stringify(request);
  if (value.length <= longest) return value;
  const key = newKey();
  await recordsOf(bot, ttlMs).set(key, request);
  return `kept:${key}`;
}

/** Returns the request behind a button's value; null if there is none, or the record has expired. */
export async function readRequest(bot: Pick<Bot, 'keyv'>, value: string): Promise<AnyRequest | null> {
  const key = keptForm.exec(value)?.[1];
  const found = key === undefined ? parseJson(value) : await recordsOf(bot).get(key);
  const parsed = anyRequestSchema.safeParse(found);
  return parsed.success ? parsed.data : null;
}

/** Returns an unguessable key of letters, digits, `-` and `_`. */
export function newKey(): string {
  return randomBytes(18).toString('base64url');
}

function recordsOf({ keyv }: Pick<Bot, 'keyv'>, ttlMs?: number) {
  return makeRecords<unknown>({ keyv, namespace: 'kept-requests', ttlMs });
}
