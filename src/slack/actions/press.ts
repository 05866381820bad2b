import { z } from 'zod';
import type { CommandContext } from '../../core/access/command-context.ts';
import { isDirect } from '../../core/model/people.ts';
import type { FieldValues } from '../views/field-values.ts';

/** The form or Home tab that something was pressed in. */
export type PressedView = {
  readonly id: string;
  readonly type: string;
  readonly callbackId: string;
  readonly metadata: string;
  /** Slack's, of what the view showed when it was pressed. */
  readonly hash: string;
  readonly values: FieldValues;
};

/** A button that was pressed, or a field that was changed. */
export type Press = {
  readonly context: CommandContext;
  readonly value: string;
  /** Of its block. */
  readonly blockId: string;
  /** Of the button's message, if it is in one. */
  readonly messageTs: string | null;
  /** When Slack saw it, in seconds. */
  readonly at: number;
  /** Null if the button is in a message. */
  readonly view: PressedView | null;
};

export type Handler = (press: Press) => Promise<void>;

/** Handlers by `action_id`. */
export type Handlers = Readonly<Record<string, Handler>>;

/**
 * Where the press of a button beside a row acts: in the row's channel, also from the Home tab or another list. Null in a channel that the
 * row is not of, since an id alone proves nothing, and a list may be old.
 */
export function pressedFor(
  { context, view }: Press,
  { channelId }: { readonly channelId: string },
): CommandContext | null {
  const isThere = view === null && !context.elsewhere && !isDirect(context.channelId);
  if (!isThere) return { ...context, channelId, elsewhere: true };
  return channelId === context.channelId ? context : null;
}

/** Button values are untrusted, and Postgres fails on anything but a UUID. */
export function isUuid(text: string): boolean {
  return z.uuid().safeParse(text).success;
}
