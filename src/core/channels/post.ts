import type { Message } from '../../messages/text/message.ts';
import type { Channel } from '../model/people.ts';

/** How Slack responded to a post. What follows from it is decided by the caller. */
export type PostOutcome =
  | { readonly kind: 'posted'; readonly ts: string }
  /** Certainly not posted; the same post can be retried after this many seconds. */
  | { readonly kind: 'wait'; readonly seconds: number; readonly error: string }
  /** May or may not have been posted (timeout, reset, 5xx). `unknown`: Slack returned an error that is not documented. */
  | { readonly kind: 'perhaps'; readonly error: string; readonly unknown?: boolean | undefined }
  /** This channel is closed to the bot. */
  | { readonly kind: 'channel closed'; readonly error: string }
  /** The bot's token is not valid in this workspace. */
  | { readonly kind: 'workspace closed'; readonly error: string }
  /** The workspace is being moved into an organization. */
  | { readonly kind: 'workspace moving'; readonly error: string }
  /** The message itself was refused. */
  | { readonly kind: 'refused'; readonly error: string }
  /** The thread, or the message to edit, is gone or closed. */
  | { readonly kind: 'thread gone'; readonly error: string };

/** Posts a message to a channel; never throws for an error of Slack's. `key` is sent as metadata for `LookUp`, and shown to nobody. */
export type Post = (
  channel: Channel,
  message: Message,
  options?: { readonly threadTs?: string | undefined; readonly key?: string | undefined },
) => Promise<PostOutcome>;

/** Replaces the content of a message; never throws for an error of Slack's. */
export type Edit = (channel: Channel, ts: string, message: Message) => Promise<PostOutcome>;

/** Looks for a message that may have been posted, if Slack lets the bot read the channel. */
export type LookUp = {
  /** Returns whether the bot can read the channel. Most workspaces do not grant that, and need not. */
  readonly mayLook: (channel: Channel) => Promise<boolean>;
  /** Returns the `ts` of the message posted with a key, not before `since`; null if there is none. Throws if Slack does not say. */
  readonly find: (
    channel: Channel,
    post: { readonly key: string; readonly since: Date; readonly threadTs: string | null },
  ) => Promise<string | null>;
};
