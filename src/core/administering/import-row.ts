import { rowFailed } from '../../messages/admin/imports.ts';
import type { Message } from '../../messages/text/message.ts';
import type { CommandContext } from '../access/command-context.ts';
import { atHome } from '../access/home-workspace.ts';
import { placeOf } from '../access/personal.ts';
import { Refusal } from '../access/refusal.ts';
import { contextFields } from '../model/log-fields.ts';
import type { SubscribeRequest } from '../model/request.ts';
import type { WorkspaceSettings } from '../model/settings.ts';
import { type FileRow, ownDirectMessage } from '../model/subscription-file.ts';
import { subscribe } from '../subscribing/subscribe.ts';
import type { AdministeringRoomDeps } from './administering-deps.ts';
import { deliveryOf } from './plan-import.ts';

/** A row whose request includes every setting of the subscription. */
export type CompleteRow = Pick<FileRow, 'channelId' | 'zone'> & {
  readonly request: FileRow['request'] & SubscribeRequest;
};

/** Throws a `Refusal` unless the person is allowed to import into a channel. Returns the workspace's settings. */
type RequireMayImport = (context: CommandContext, request: SubscribeRequest) => Promise<WorkspaceSettings>;

/** Why a row was not imported. */
export type NotImported = {
  /** The text of the reply that the person would have received in the channel. */
  readonly said: string;
  /** Whether another try may succeed: not if the subscription is there already. */
  readonly mayRetry: boolean;
};

/**
 * Subscribes one channel as a file says, for the person who imports it, after `requireMay` for the row's channel. Returns null if the
 * subscription was announced in the channel. Never throws: one bad row must not stop the others.
 */
export type ImportRow = (
  context: CommandContext,
  row: CompleteRow,
  requireMay: RequireMayImport,
) => Promise<NotImported | null>;

export function makeImportRow({ bot, log }: AdministeringRoomDeps): ImportRow {
  return async (context, row, requireMay) => {
    try {
      const answer = await answerTo(context, row, requireMay);
      return answer === null ? null : { said: answer.text, mayRetry: false };
    } catch (error) {
      if (error instanceof Refusal) return { said: error.answer.text, mayRetry: true };
      log.error({ err: error, ...contextFields({ ...context, ...row }) }, 'a row was not imported');
      return { said: rowFailed, mayRetry: true };
    }
  };

  async function answerTo(
    context: CommandContext,
    { channelId, request: found, zone }: CompleteRow,
    requireMay: RequireMayImport,
  ): Promise<Message | null> {
    const isPersonal = channelId === ownDirectMessage;
    const request = { ...found, personal: isPersonal || undefined };
    const there = isPersonal
      ? await placeOf(bot, context, request)
      : await atHome(bot, { ...context.about(channelId), person: context.person });
    let answer: Message | null = null;
    const quiet: CommandContext = {
      ...there,
      elsewhere: true,
      reply: async (message) => {
        answer = message;
      },
    };
    // An import asks no questions back: what the file says is taken as intended.
    const options = {
      shared: true,
      quiet: true,
      delivery: deliveryOf({ request: found, zone }),
    };
    const settings = await requireMay(quiet, request);
    await subscribe(bot, quiet, request, { ...options, settings });
    return answer;
  }
}
