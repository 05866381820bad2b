import { rowFailed } from '../../messages/admin/imports.ts';
import type { Message } from '../../messages/text/message.ts';
import type { CommandContext } from '../access/command-context.ts';
import { answerRefusal } from '../access/refusal.ts';
import type { SubscribeRequest } from '../model/request.ts';
import type { WorkspaceSettings } from '../model/settings.ts';
import { type FileRow, ownDirectMessage } from '../model/subscription-file.ts';
import type { AdministeringRoomDeps } from './administering-deps.ts';
import { deliveryOf } from './plan-import.ts';

/** A row whose request includes every setting of the subscription. */
export type CompleteRow = Pick<FileRow, 'channelId' | 'zone'> & {
  readonly request: FileRow['request'] & SubscribeRequest;
};

/** Throws a `Refusal` unless the person is allowed to import into a channel. Returns the workspace's settings. */
type RequireMayImport = (context: CommandContext, request: SubscribeRequest) => Promise<WorkspaceSettings>;

/**
 * Subscribes one channel as a file says, for the person who imports it, after `requireMay` for the row's channel. Returns the text of
 * the reply they would have received there; null if the subscription was announced in the channel. Never throws: one bad row must not
 * stop the others.
 */
export type ImportRow = (
  context: CommandContext,
  row: CompleteRow,
  requireMay: RequireMayImport,
) => Promise<string | null>;

export function makeImportRow({ placeOf, subscribe, log }: AdministeringRoomDeps): ImportRow {
  return async (context, row, requireMay) => {
    try {
      return (await answerTo(context, row, requireMay))?.text ?? null;
    } catch (error) {
      const { teamId: team } = context.person;
      log.error({ err: error, team, channel: row.channelId }, 'a row was not imported');
      return rowFailed;
    }
  };

  async function answerTo(
    context: CommandContext,
    { channelId, request: found, zone }: CompleteRow,
    requireMay: RequireMayImport,
  ): Promise<Message | null> {
    const isPersonal = channelId === ownDirectMessage;
    const request = { ...found, personal: isPersonal || undefined };
    const there = isPersonal ? await placeOf(context, request) : context.about(channelId);
    let answer: Message | null = null;
    const quiet: CommandContext = {
      ...there,
      elsewhere: true,
      reply: async (message) => {
        answer = message;
      },
    };
    // An import asks no questions back: what the file says is taken as intended.
    const options = { anyway: true, shared: true, delivery: deliveryOf({ request: found, zone }) };
    await answerRefusal(async () => {
      const settings = await requireMay(quiet, request);
      await subscribe(quiet, request, { ...options, settings });
    });
    return answer;
  }
}
