import { z } from 'zod';
import type { CommandContext } from '../../core/access/command-context.ts';
import type { FieldValues } from '../views/field-values.ts';

/** The form or Home tab that something was pressed in. */
export type PressedView = {
  readonly id: string;
  readonly type: string;
  readonly callbackId: string;
  readonly metadata: string;
  readonly values: FieldValues;
};

/** A button that was pressed, or a field that was changed. */
export type Press = {
  readonly context: CommandContext;
  readonly value: string;
  /** Of the block it stands in. */
  readonly blockId: string;
  /** Of the message the button is in, where it is in one. */
  readonly messageTs: string | null;
  /** Null where it is in a message. */
  readonly view: PressedView | null;
};

export type Handler = (press: Press) => Promise<void>;

/** What each does, by its `action_id`. */
export type Handlers = Readonly<Record<string, Handler>>;

/** What comes back in a button is ours only if Slack's caller is; Postgres would fail on anything but a UUID. */
export function isUuid(text: string): boolean {
  return z.uuid().safeParse(text).success;
}
