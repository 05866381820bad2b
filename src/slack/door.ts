import { randomUUID } from 'node:crypto';
import {
  App,
  type AppOptions,
  type AuthorizeResult,
  type AuthorizeSourceData,
  type ExpressReceiver,
} from '@slack/bolt';
import type { Logger, WebClientOptions } from '@slack/web-api';
import type { Asked } from '../core/asked.ts';
import type { Workspace } from '../core/people.ts';
import { refused, unexpectedError } from '../messages/answers.ts';
import type { PressedView } from './actions/press.ts';
import { type ActionDeps, actionTable } from './actions/table.ts';
import type { Answer } from './answer.ts';
import type { AskedFacts, AskedFrom } from './asked-from.ts';
import { isDirect, readBlockChannel } from './block-channels.ts';
import { makeTakeCommand, type TakeCommandDeps } from './commands/take-command.ts';
import { type EventDeps, eventTable } from './events/table.ts';
import { type CommandBody, factsOfCommand, factsOfInteraction, type InteractionBody } from './facts-of.ts';
import type { OneWorkspace } from './identity.ts';
import type { ReplyInView } from './reply-in-view.ts';
import { messageShortcutTable, type ShortcutDeps, shortcutTable } from './shortcuts/table.ts';
import type { FieldValues } from './views/field-values.ts';
import { type ViewDeps, viewTable } from './views/table.ts';

export type SlackDoorDeps = {
  readonly receiver: ExpressReceiver;
  readonly clientOptions: WebClientOptions;
  readonly logger: Logger;
  /** Where a bot token was set; with installations the receiver knows who the bot is. */
  readonly oneWorkspace: (() => Promise<OneWorkspace>) | null;
  readonly askedFrom: AskedFrom;
  readonly answer: Answer;
  readonly replyInView: ReplyInView;
  readonly commands: TakeCommandDeps;
  readonly actions: ActionDeps;
  readonly shortcuts: ShortcutDeps;
  readonly views: ViewDeps;
  readonly events: EventDeps;
  /** Takes a request of Slack's by its id; false where it was taken before. */
  readonly take: (id: string) => Promise<boolean>;
  readonly log: {
    readonly debug: (fields: Record<string, unknown>, message: string) => void;
    readonly error: (fields: Record<string, unknown>, message: string) => void;
  };
};

/** Slack's door: reads what comes in, hands it to the core, and is the one place where a failure is caught and answered. */
export async function openSlackDoor(deps: SlackDoorDeps) {
  const { receiver, askedFrom, log } = deps;
  const app = new App({
    receiver,
    logger: deps.logger,
    clientOptions: deps.clientOptions,
    // The default keeps conversations in memory; this bot keeps none.
    convoStore: false,
    ...(deps.oneWorkspace ? { authorize: authorizeOne(deps.oneWorkspace) } : {}),
  } as AppOptions);
  const underWay = new Set<Promise<void>>();
  const takeCommand = makeTakeCommand(deps.commands);
  const actions = actionTable(deps.actions);
  const shortcuts = shortcutTable(deps.shortcuts);
  const messageShortcuts = messageShortcutTable(deps.shortcuts);
  const views = viewTable(deps.views);
  const events = eventTable(deps.events);

  /** Slack waits three seconds for an acknowledgement, so the work goes on behind it. */
  function inBackground(asked: Asked, id: string | null, work: () => Promise<void>): void {
    log.debug(
      {
        team: asked.person.teamId,
        channel: asked.channelId,
        person: asked.person.userId,
        request: id?.split(':')[0],
      },
      'asked for in Slack',
    );
    const done = takeOnce(id, work)
      .catch((error: unknown) => failed(asked, error))
      .finally(() => underWay.delete(done));
    underWay.add(done);
  }

  async function takeOnce(id: string | null, work: () => Promise<void>): Promise<void> {
    if (id === null || (await deps.take(id))) await work();
  }

  async function failed(asked: Asked, error: unknown): Promise<void> {
    const reference = referenceOf(error);
    await asked
      .reply(unexpectedError({ reference }))
      .catch((again: unknown) => log.error({ err: again, reference }, 'a failure could not be told'));
  }

  function referenceOf(error: unknown): string {
    const reference = randomUUID().slice(0, 8);
    log.error({ err: error, reference }, 'something asked for in Slack failed');
    return reference;
  }

  app.command(/.*/, async ({ ack, body }) => {
    await ack();
    const command: CommandBody = body;
    const id = command.trigger_id
      ? `command:${command.trigger_id}:${command.command} ${command.text ?? ''}`
      : null;
    inBackground(askedFrom(factsOfCommand(command)), id, () => takeCommand(command));
  });

  app.action(/.*/, async ({ ack, body, action, client }) => {
    await ack();
    const press: InteractionBody & { view?: ViewBody | undefined } = body;
    const actionId = 'action_id' in action ? action.action_id : '';
    const clicked = factsOfInteraction(press);
    const handler = actions[actionId];
    if (!handler) return;
    if (!clicked) return refuseStranger(press);
    const { facts, blockId } = readBlock(clicked, 'block_id' in action ? action.block_id : '');
    const view = press.view ? pressedView(press.view) : null;
    const asked = view ? deps.replyInView(askedFrom(facts), view) : askedFrom(facts);
    const messageTs = press.container?.message_ts;
    const id = press.trigger_id ? `action:${press.trigger_id}:${actionId}` : null;
    inBackground(asked, id, () =>
      handler({
        asked,
        value: 'value' in action && typeof action.value === 'string' ? action.value : '',
        blockId,
        triggerId: press.trigger_id ?? null,
        messageTs: typeof messageTs === 'string' ? messageTs : null,
        view,
        client,
      }),
    );
  });

  app.shortcut({ callback_id: /.*/, type: 'shortcut' }, async ({ ack, body }) => {
    await ack();
    const facts = factsOfInteraction(body);
    const handler = Object.entries(shortcuts).find(([callbackId]) => callbackId === body.callback_id)?.[1];
    if (!facts || !handler) return;
    const asked = askedFrom(facts);
    inBackground(asked, `shortcut:${body.trigger_id}`, () => handler(asked));
  });

  app.shortcut({ callback_id: /.*/, type: 'message_action' }, async ({ ack, body, context }) => {
    await ack();
    const facts = factsOfInteraction(body);
    const handler = Object.entries(messageShortcuts).find(
      ([callbackId]) => callbackId === body.callback_id,
    )?.[1];
    if (!handler) return;
    if (!facts) return refuseStranger(body);
    const asked = askedFrom(facts);
    const { bot_id: botId } = body.message;
    const isMine = botId !== undefined && botId === context.botId;
    inBackground(asked, `shortcut:${body.trigger_id}`, () =>
      handler(asked, { messageTs: body.message_ts, isMine }),
    );
  });

  app.view({ callback_id: /.*/, type: 'view_submission' }, async ({ ack, body, view }) => {
    const facts = factsOfInteraction(body);
    const handler = views[view.callback_id];
    if (!facts || !handler) return ack();
    const responseUrls = 'response_urls' in body ? (body.response_urls ?? []) : [];
    const taken = await handler({
      person: facts.person,
      metadata: view.private_metadata,
      values: view.state.values,
      responseUrl: responseUrls[0]?.response_url ?? null,
    });
    if (taken && 'errors' in taken) return ack({ response_action: 'errors', errors: taken.errors });
    // What lies below it was only the way to it.
    await (view.previous_view_id ? ack({ response_action: 'clear' }) : ack());
    // A form sent twice is the same form, with the same hash.
    if (taken) inBackground(taken.asked, `view:${view.id}:${view.hash}`, taken.work);
  });

  for (const [type, handler] of Object.entries(events)) {
    app.event(type, async ({ event, body, context }) => {
      const workspace: Workspace = {
        enterpriseId: context.enterpriseId ?? null,
        teamId: context.teamId ?? body.team_id,
      };
      const fields: Record<string, unknown> = { ...event };
      // Told again, an event does nothing more: each of these leaves alone what is as it should be.
      await handler({ workspace, event: fields, botUserId: context.botUserId ?? null });
    });
  }

  async function refuseStranger(press: InteractionBody): Promise<void> {
    if (press.response_url) await deps.answer(press.response_url, refused('stranger')).catch(referenceOf);
  }

  return {
    /** Waits for what was acknowledged and is still being worked on. */
    async settle(): Promise<void> {
      while (underWay.size > 0) await Promise.allSettled([...underWay]);
    },
    /** Works on something behind the back of whoever is waiting; a failure is answered to the person who asked. */
    inBackground(asked: Asked, work: () => Promise<void>): void {
      inBackground(asked, null, work);
    },
  };
}

/** What was pressed in a direct message counts for the channel that its block names, if it names one. */
function readBlock(clicked: AskedFacts, found: unknown): { facts: AskedFacts; blockId: string } {
  const { channelId, blockId } = readBlockChannel(typeof found === 'string' ? found : '');
  const isAbout = channelId !== null && isDirect(clicked.channelId ?? '');
  return { facts: isAbout ? { ...clicked, channelId, elsewhere: true } : clicked, blockId };
}

/** A form or Home tab as it comes with what was pressed in it. */
type ViewBody = {
  readonly id: string;
  readonly type: string;
  readonly callback_id: string;
  readonly private_metadata: string;
  readonly state?: { readonly values: FieldValues } | undefined;
};

function pressedView({ id, type, callback_id, private_metadata, state }: ViewBody): PressedView {
  return { id, type, callbackId: callback_id, metadata: private_metadata, values: state?.values ?? {} };
}

export type SlackDoor = Awaited<ReturnType<typeof openSlackDoor>>;

function authorizeOne(oneWorkspace: () => Promise<OneWorkspace>) {
  return async ({ teamId, enterpriseId }: AuthorizeSourceData): Promise<AuthorizeResult> => {
    const { botToken, botId, botUserId, ...own } = await oneWorkspace();
    if (teamId !== own.teamId && enterpriseId !== own.teamId) {
      throw new Error('the bot token belongs to another workspace');
    }
    return {
      botToken,
      ...(botId === undefined ? {} : { botId }),
      ...(botUserId === null ? {} : { botUserId }),
      teamId: own.teamId,
    };
  };
}
