import type { HomeView, ModalView } from '@slack/types';
import type { ViewsPublishResponse } from '@slack/web-api';
import type { CommandContext } from '../../core/access/command-context.ts';
import type { SlackPerson } from '../../core/model/people.ts';
import type { OpenedForm, Trigger } from '../../core/slack.ts';
import { answerView, callbackIds } from '../../messages/text/modal.ts';
import type { PressedView } from '../acts/press.ts';
import { outcomeOf } from '../posting/post-outcomes.ts';
import type { Slack, SlackApi } from '../slack-port.ts';

/** Slack's errors for a trigger that was already used or is older than three seconds. */
const tooLate = new Set([
  'expired_trigger_id',
  'trigger_expired',
  'trigger_exchanged',
  'exchanged_trigger_id',
]);
/** Slack's errors for a form that has been closed. */
const closed = new Set(['not_found', 'view_not_found']);

/** Slack's error for a view that has changed since it was read. */
const hashConflict = 'hash_conflict';
/** How many recently redrawn Home tabs to remember. */
const mostRedrawn = 1_000;

/** Opens a form with the trigger of a command or press. Returns the view; null if the trigger has expired. */
export async function openForm(
  { clientOf }: SlackApi,
  { person, triggerId }: Trigger,
  view: ModalView,
  method: 'open' | 'push' = 'open',
): Promise<OpenedForm | null> {
  if (!triggerId) return null;
  try {
    const { client } = await clientOf(person);
    const { view: shown } = await client.views[method]({ trigger_id: triggerId, view });
    return shown?.id === undefined ? null : { id: shown.id };
  } catch (error) {
    if (tooLate.has(outcomeOf(error).error)) return null;
    throw error;
  }
}

/** Redraws a form, unless it is closed. */
export async function updateForm(
  { clientOf }: SlackApi,
  { person }: Pick<Trigger, 'person'>,
  viewId: string,
  view: ModalView,
): Promise<void> {
  try {
    const { client } = await clientOf(person);
    await client.views.update({ view_id: viewId, view });
  } catch (error) {
    if (!closed.has(outcomeOf(error).error)) throw error;
  }
}

/**
 * Makes a function that publishes a person's Home tab, and remembers which replaced which. With `over`, the hash of the view it replaces, it
 * does so only if they still see that view or one that replaced it.
 */
export function makePublishHome({ clientOf }: SlackApi) {
  /** The hash of each replaced Home tab, with the hash of its replacement: a second press in the old one means the same list. */
  const redrawn = new Map<string, string>();

  async function redraw(
    over: string,
    publish: (hash: string) => Promise<ViewsPublishResponse>,
  ): Promise<void> {
    const hash = newestAfter(over);
    try {
      const { view } = await publish(hash);
      if (view?.hash !== undefined) noteRedrawn(hash, view.hash);
    } catch (error) {
      if (outcomeOf(error).error !== hashConflict) throw error;
      // Two presses in one list can be drawn at the same time.
      if (newestAfter(hash) !== hash) await redraw(hash, publish);
    }
  }

  function newestAfter(hash: string): string {
    const next = redrawn.get(hash);
    return next === undefined ? hash : newestAfter(next);
  }

  function noteRedrawn(replaced: string, by: string): void {
    redrawn.set(replaced, by);
    const oldest = redrawn.keys().next().value;
    if (redrawn.size > mostRedrawn && oldest !== undefined) redrawn.delete(oldest);
  }

  return async (person: SlackPerson, view: HomeView, over?: string): Promise<void> => {
    const { client } = await clientOf(person);
    const asked = { user_id: person.userId, view };
    try {
      if (over === undefined) await client.views.publish(asked);
      else await redraw(over, (hash) => client.views.publish({ ...asked, hash }));
    } catch (error) {
      // An admin can turn off the Home tab; then nobody sees it.
      if (outcomeOf(error).error !== 'not_enabled') throw error;
    }
  };
}

/** Forms without fields, in which an answer can take the place of what they show. */
const answered: readonly string[] = [callbackIds.answer, callbackIds.showAll];

/**
 * Answers a press in the Home tab by opening a form, and a press in a form without fields by updating it, since Slack gives no
 * `response_url` there. If the trigger has expired, the answer is sent as a direct message.
 */
export function replyInView(
  { openForm, updateForm }: Pick<Slack, 'openForm' | 'updateForm'>,
  context: CommandContext,
  view: Pick<PressedView, 'id' | 'type' | 'callback_id'>,
): CommandContext {
  if (answered.includes(view.callback_id)) {
    return { ...context, reply: (message) => updateForm(context, view.id, answerView(message)) };
  }
  if (view.type !== 'home') return context;
  return {
    ...context,
    reply: async (message, options) => {
      if ((await openForm(context, answerView(message))) === null) await context.reply(message, options);
    },
  };
}
