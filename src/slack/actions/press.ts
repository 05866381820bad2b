import { z } from 'zod';
import type { CommandContext } from '../../core/access/command-context.ts';
import { atHome } from '../../core/access/home-workspace.ts';
import type { Bot } from '../../core/bot.ts';
import { type Channel, isDirect } from '../../core/model/people.ts';
import { requireAdmission } from '../../core/requests/admission.ts';
import type { FieldValues } from '../views/field-values.ts';

/** The form or Home tab that something was pressed in, as Slack sends it. */
export type PressedView = {
  readonly id: string;
  readonly type: string;
  readonly callback_id: string;
  readonly private_metadata: string;
  /** Slack's hash of what the view showed at the time of the press. */
  readonly hash: string;
  readonly state?: { readonly values: FieldValues } | undefined;
};

/** A button that was pressed, or a field that was changed. */
export type Press = {
  readonly context: CommandContext;
  /** The same in the workspace of the person, where the channel may be stored under another one of their organization. */
  readonly inOwnWorkspace: CommandContext;
  readonly value: string;
  /** The id of its block. */
  readonly blockId: string;
  /** The timestamp of the message with the button; null if it is not in a message. */
  readonly messageTs: string | null;
  /** Whether everyone in the channel sees that message. */
  readonly inPublicMessage: boolean;
  /** When Slack saw it, in seconds. */
  readonly at: number;
  /** Null if the button is in a message. */
  readonly view: PressedView | null;
};

export type Handler = (press: Press) => Promise<void>;

/** Wraps the handlers that count as commands in the check that every request passes. */
export const admitting =
  (bot: Bot) =>
  (handler: Handler): Handler =>
  async (press) => {
    await requireAdmission(bot, press.context);
    await handler(press);
  };

/** Handlers by `action_id`. */
export type Handlers = Readonly<Record<string, Handler>>;

/**
 * Finds the row of a button, and the context in which the button acts: the row's channel, where it is stored, even if pressed in the Home
 * tab or another list. A list can be stale, and an id alone proves nothing. So it is null if there is no such row, if the button was pressed
 * in a different channel, or if the row is of another workspace that does not share its channel.
 */
export async function findPressed<Row extends Channel>(
  bot: Bot,
  { context, view }: Press,
  id: string,
  find: (bot: Bot, context: CommandContext, id: string) => Promise<Row | null>,
): Promise<{ readonly row: Row; readonly context: CommandContext } | null> {
  const row = isUuid(id) ? await find(bot, context, id) : null;
  if (row === null) return null;
  const { teamId, channelId } = row;
  const isThere = view === null && context.madeInChannel && !isDirect(context.channelId);
  if (isThere && channelId !== context.channelId) return null;
  const pressed = isThere ? context : { ...context, channelId, madeInChannel: false };
  const there = teamId === pressed.person.teamId ? pressed : await atHome(bot, pressed);
  return there.person.teamId === teamId ? { row, context: there } : null;
}

/** Whether a button's value is a UUID. Values are untrusted, and Postgres fails on anything else in a UUID column. */
export function isUuid(text: string): boolean {
  return z.uuid().safeParse(text).success;
}

/** Returns the value of a pressed button or of the choice made in a menu. */
export function sentBack(action: object): string {
  if ('value' in action && typeof action.value === 'string') return action.value;
  if ('selected_conversation' in action && typeof action.selected_conversation === 'string') {
    return action.selected_conversation;
  }
  if ('selected_user' in action && typeof action.selected_user === 'string') return action.selected_user;
  const option = 'selected_option' in action ? action.selected_option : null;
  const isOption = typeof option === 'object' && option !== null && 'value' in option;
  return isOption && typeof option.value === 'string' ? option.value : '';
}
