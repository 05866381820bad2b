import { z } from 'zod';
import { hourMs } from '../../lib/durations.ts';
import { parseJson } from '../../lib/text.ts';
import { keepRequest, readRequest } from '../access/kept-requests.ts';
import type { Bot } from '../bot.ts';
import type { SubscribeRequest } from '../model/request.ts';
import { commands } from '../model/verbs.ts';

/** Parses what a form stores, and adds what a new one has. */
export const formContextSchema = z.object({
  /** Null if the channel is chosen in the form. */
  channelId: z.string().nullable(),
  responseUrl: z.string().nullable(),
  /** Whether it was opened in that channel itself, which proves that the person was in it; see `CommandContext`. */
  madeInChannel: z.boolean().default(false),
  names: z.record(z.enum(commands), z.string()),
  /** IANA name of the time zone of clock times in the form. */
  zone: z.string(),
  /** Whether that is the zone of the person, or the one in which the subscription's digest was set. */
  isOwnZone: z.boolean(),
  /** When new subscriptions of the workspace post by default. */
  usual: z.enum(['live', 'hourly', 'daily', 'weekly']),
  /** Whether the fields below More options are shown. */
  more: z.boolean().default(false),
  /** Whether the first step led to it. */
  hasBack: z.boolean().default(false),
  /** How often Next was pressed after Back; see `Form`. */
  round: z.int().default(0),
  /** The channel that was chosen in the form before Back was pressed. */
  chosenChannelId: z.string().nullable().default(null),
  /** The name of what is followed, if it may be shown. */
  name: z.string().nullable().default(null),
  /** The subscription being edited; null for a new one. */
  changeId: z.uuid().nullable().default(null),
  /** What the second step was opened with, as `keepRequest` keeps it; in the first, what was set before Back was pressed, or empty. */
  start: z.string().default(''),
});

/** What the subscribe form stores about how it was opened. */
export type FormContext = z.infer<typeof formContextSchema>;

/** Leaves room for the rest within Slack's limit of 3,000 characters. */
const longestStart = 1_000;

/** Returns what a form was opened with, to be stored in its context. It lasts for 12 hours where it is long: after an uninstall, it has to be gone within a day. */
export function keepStart(bot: Pick<Bot, 'keyv'>, start: SubscribeRequest): Promise<string> {
  return keepRequest(bot, start, { longest: longestStart, ttlMs: 12 * hourMs });
}

/** Returns what a form was opened with; null if that has expired. */
export async function startOf(bot: Bot, { start }: FormContext): Promise<SubscribeRequest | null> {
  const request = await readRequest(bot, start);
  return request?.act === 'subscribe' ? request : null;
}

/** Parses the form's metadata; null if it is not ours. */
export function readFormContext(metadata: string): FormContext | null {
  return formContextSchema.safeParse(parseJson(metadata)).data ?? null;
}
