import { App, type AppOptions } from '@slack/bolt';
import type { WebClientOptions } from '@slack/web-api';
import {
  type CommandContext,
  type ContextFacts,
  contextFrom,
  readBlockChannel,
} from '../core/access/command-context.ts';
import { answerFailures, failureAnswer, noteFailure, Refusal } from '../core/access/refusal.ts';
import { carryOut, takeOnce } from '../core/acts/carry-out.ts';
import type { Pressed } from '../core/acts/row.ts';
import type { Bot } from '../core/bot.ts';
import { listShown } from '../core/delivering/show-all.ts';
import { contextFields } from '../core/model/log-fields.ts';
import { isDirect, type Workspace } from '../core/model/people.ts';
import { within } from '../lib/durations.ts';
import { makeBackground } from '../lib/later.ts';
import { formReceived, formRefused, formTakesLong } from '../messages/subscribing/answers.ts';
import { refused } from '../messages/subscribing/refusals.ts';
import { answerView, callbackIds } from '../messages/text/modal.ts';
import {
  atFirstField,
  contextIn,
  forms,
  type SubmissionResult,
  type SubmittedView,
  staysOpen,
  suggestions,
  takeForm,
} from './acts/forms.ts';
import { messageShortcuts, type PressedView, sentBack, shortcuts, takePress } from './acts/press.ts';
import { takeCommand } from './acts/take-command.ts';
import { eventTable } from './events/table.ts';
import type { Identities } from './installing/identity.ts';
import { makeReceiver, type ReceiverOptions } from './receiver.ts';
import { factsOfCommand, factsOfInteraction, type InteractionBody } from './replies/facts-of.ts';
import { replyInView } from './replies/screens.ts';

type AdapterOptions = Pick<ReceiverOptions, 'signingSecret' | 'watch' | 'logger'> &
  Pick<Identities, 'authorize'> & { readonly clientOptions: WebClientOptions };

/** What a field is asked to offer for what was typed in it. */
type Suggestion = {
  readonly action_id?: string | undefined;
  readonly value?: string | undefined;
  readonly view?: { readonly private_metadata: string } | undefined;
};

/** A submitted form is answered within this time: after three seconds Slack shows an error of its own. */
const formAnsweredWithinMs = 2_200;

export type SlackAdapter = ReturnType<typeof openSlackAdapter>;

/** Opens Slack's adapter, which reads requests, hands them to core, and is the one place that catches and answers failures. */
export function openSlackAdapter(bot: Bot, { clientOptions, authorize, ...options }: AdapterOptions) {
  const { clock, log, slack } = bot;
  const { receiver, app: routes } = makeReceiver(clock, options);
  const app = new App({
    receiver,
    logger: options.logger,
    clientOptions,
    // The default keeps conversations in memory; this bot keeps none.
    convoStore: false,
    authorize,
  } as AppOptions);
  const { track, settled } = makeBackground();
  const events = eventTable(bot);

  /** Slack waits three seconds for an acknowledgment, so the work continues in the background. */
  function inBackground(context: CommandContext, id: string | null, work: () => Promise<void>): void {
    log.debug({ ...contextFields(context), request: id?.split(':')[0] }, 'Slack request');
    void track(answerFailures(bot, context, () => unlessSeen(id, work)));
  }

  async function unlessSeen(id: string | null, work: () => Promise<void>): Promise<void> {
    if (id === null || (await takeOnce(bot, id))) await work();
  }

  app.command(/.*/, async ({ ack, body }) => {
    await ack();
    inBackground(contextFrom(bot, factsOfCommand(body)), idOf('command', body), () => takeCommand(bot, body));
  });

  app.action(/.*/, async ({ ack, body, action }) => {
    await ack();
    const press: InteractionBody & { view?: PressedView | undefined } = body;
    const clicked = factsOfInteraction(press);
    if (!clicked) return refuseStranger(press);
    const view = press.view ?? null;
    const { facts, ...place } = readPlace(clicked, action, press, view);
    const context = contextFrom(bot, facts);
    const pressed = view ? replyInView(slack, context, view) : context;
    inBackground(pressed, idOf('action', body), () =>
      takePress(bot, {
        context: pressed,
        actionId: 'action_id' in action ? action.action_id : '',
        value: sentBack(action),
        ...place,
        isMine: true,
        inPublicMessage: facts.inPublicMessage ?? false,
        view,
      }),
    );
  });

  app.shortcut(/.*/, async ({ ack, body, context: bolt }) => {
    await ack();
    const message = body.type === 'message_action' ? body : null;
    const request = message
      ? messageShortcuts[body.callback_id]?.(message.message, bot.config.urlTemplates)
      : shortcuts[body.callback_id];
    if (!request) return;
    const facts = factsOfInteraction(body);
    if (!facts) return refuseStranger(body);
    const context = contextFrom(bot, facts);
    const isMine = bolt.botId !== undefined && message?.message.bot_id === bolt.botId;
    const pointedAt = { messageTs: message?.message_ts ?? null, isMine };
    const pressed = { ...pointedAt, inPublicMessage: message !== null, row: '', view: null };
    inBackground(context, idOf('shortcut', body), () => carryOut(bot, context, request, { pressed }));
  });

  app.options(/.*/, async ({ ack, body }) => {
    const { action_id: actionId, value = '', view }: Suggestion = body;
    const facts = factsOfInteraction(body);
    const suggest = suggestions[actionId ?? ''];
    if (!facts || !suggest || !view) return ack({ options: [] });
    const context = contextIn(bot, { person: facts.person, metadata: view.private_metadata });
    const options = await suggest(bot, context, value).catch((error: unknown) => {
      noteFailure(bot, error, context);
      return [];
    });
    await ack({ options });
  });

  app.view({ callback_id: /.*/, type: 'view_submission' }, async ({ ack, body, view }) => {
    const facts = factsOfInteraction(body);
    const form = forms[view.callback_id];
    if (!facts || !form) return ack();
    const context = contextFrom(bot, facts);
    const responseUrls = 'response_urls' in body ? (body.response_urls ?? []) : [];
    const submitted = takeForm(bot, form, {
      person: facts.person,
      viewId: view.id,
      metadata: view.private_metadata,
      blocks: view.blocks,
      values: view.state.values,
      responseUrl: responseUrls[0]?.response_url ?? null,
    }).catch((error: unknown) => resultOf(error, view, context));
    // If a form is sent twice, both have the same hash, and each a trigger id of its own.
    const id = `view:${JSON.stringify([facts.person.userId, view.id, view.hash, view.state.values])}`;
    const result = await within(formAnsweredWithinMs, submitted).catch(() => null);
    if (result === null) {
      await ack({ response_action: 'errors', errors: atFirstField(view, formTakesLong) });
      inBackground(context, null, async () => answerLate(context, { id, viewId: view.id }, await submitted));
      return;
    }
    // The forms below this one only led to it, so close them too.
    const closed = view.previous_view_id ? ({ response_action: 'clear' } as const) : undefined;
    await ack(staysOpen(result) ?? closed);
    if (result.after) inBackground(result.after.context, id, result.after.work);
  });

  /** Answers a refusal after the form is closed. Any other failure leaves the form open, with what was entered. */
  function resultOf(
    error: unknown,
    view: Pick<SubmittedView, 'blocks'>,
    context: CommandContext,
  ): SubmissionResult {
    if (!(error instanceof Refusal))
      return { errors: atFirstField(view, failureAnswer(bot, error, context)) };
    return { after: { context: error.context, work: () => Promise.reject(error) } };
  }

  /** Answers a form that was left open because its result took longer than Slack waits. */
  async function answerLate(
    context: CommandContext,
    sent: { readonly id: string; readonly viewId: string },
    { errors, view, after }: SubmissionResult,
  ): Promise<void> {
    if (errors) return context.reply(formRefused(Object.values(errors)));
    const shown = view ?? answerView(formReceived);
    await slack
      .updateForm(context, sent.viewId, shown)
      .catch((error: unknown) => noteFailure(bot, error, context));
    if (after) inBackground(after.context, sent.id, after.work);
  }

  for (const [type, handler] of Object.entries(events)) {
    app.event(type, async ({ event, body, context: bolt }) => {
      // Bolt reads the organization from `authorizations`, which are missing right after the app was removed.
      const envelope: Omit<typeof body, 'event_time'> & {
        readonly context_enterprise_id?: string | null;
        readonly event_time?: number;
        readonly is_ext_shared_channel?: boolean;
      } = body;
      const isShared = envelope.is_ext_shared_channel === true;
      const workspace: Workspace = {
        enterpriseId: bolt.enterpriseId ?? envelope.context_enterprise_id ?? null,
        teamId: bolt.teamId ?? body.team_id,
      };
      const fields: Record<string, unknown> = { ...event };
      const receivedAt = clock.now();
      const at = envelope.event_time === undefined ? receivedAt : new Date(envelope.event_time * 1_000 + 999);
      // Repeated events do no harm: each handler is idempotent.
      await handler({
        workspace,
        event: fields,
        botUserId: bolt.botUserId ?? null,
        receivedAt,
        at,
        isShared,
      });
    });
  }

  async function refuseStranger(press: InteractionBody): Promise<void> {
    if (press.response_url)
      await slack
        .answer(press.response_url, refused('stranger'))
        .catch((error: unknown) => noteFailure(bot, error));
  }

  return {
    /** The Express app that serves `/slack/events`. */
    routes,
    /** Waits for requests that were acknowledged and are still in flight. */
    settle: settled,
  };
}

/** Recognizes a request that Slack sends again, by all of it: nothing says how unique a trigger id is. Null for one without. */
function idOf(kind: string, body: object): string | null {
  return 'trigger_id' in body && body.trigger_id ? `${kind}:${JSON.stringify(body)}` : null;
}

/**
 * Returns what a press is about: the channel that its block names, or the message whose changes its form lists. Buttons in a direct message
 * can be about a channel, and those of a private answer in a channel about the person's direct message.
 */
function readPlace(
  clicked: ContextFacts,
  action: object,
  { container }: InteractionBody,
  view: PressedView | null,
): { readonly facts: ContextFacts } & Pick<Pressed, 'messageTs' | 'row'> {
  const shown = view?.callback_id === callbackIds.showAll ? listShown(view.private_metadata) : null;
  if (shown) {
    const { channelId, messageTs } = shown;
    return { facts: { ...clicked, channelId, madeInChannel: false }, messageTs, row: '' };
  }
  const found = 'block_id' in action ? action.block_id : '';
  const { channelId, blockId } = readBlockChannel(typeof found === 'string' ? found : '');
  const isAbout = channelId !== null && (isDirect(clicked.channelId ?? '') || isDirect(channelId));
  const ts = container?.message_ts;
  return {
    facts: isAbout ? { ...clicked, channelId, madeInChannel: false } : clicked,
    messageTs: typeof ts === 'string' ? ts : null,
    row: blockId,
  };
}
