import type { Message } from '../../messages/text/message.ts';
import type { Channel } from '../model/people.ts';

/** How Slack took a message. What is done on each is decided by who posts, not by who asks Slack. */
export type PostOutcome =
  | { readonly kind: 'posted'; readonly ts: string }
  /** Surely not posted; the same may be tried again after so many seconds. */
  | { readonly kind: 'wait'; readonly seconds: number; readonly error: string }
  /** It may or may not have been posted (time-out, reset, 5xx). `unknown`: Slack answered with an error that nobody has described. */
  | { readonly kind: 'perhaps'; readonly error: string; readonly unknown?: boolean | undefined }
  /** This channel is closed to the bot. */
  | { readonly kind: 'channel closed'; readonly error: string }
  /** The bot's token does not serve in this workspace. */
  | { readonly kind: 'workspace closed'; readonly error: string }
  /** The workspace is being moved into an organization. */
  | { readonly kind: 'workspace moving'; readonly error: string }
  /** The message itself was refused. */
  | { readonly kind: 'refused'; readonly error: string }
  /** The thread, or the message that was to be edited, is gone or closed. */
  | { readonly kind: 'thread gone'; readonly error: string };

/** Posts a message into a channel; never throws for Slack's sake. `key` goes along for `LookUp`, and is shown to nobody. */
export type Post = (
  channel: Channel,
  message: Message,
  options?: { readonly threadTs?: string | undefined; readonly key?: string | undefined },
) => Promise<PostOutcome>;

/** Has a message of a channel say something else; never throws for Slack's sake. */
export type Edit = (channel: Channel, ts: string, message: Message) => Promise<PostOutcome>;

/** Looks for a message that may have been posted, where Slack lets the bot read the channel. */
export type LookUp = {
  /** Whether it may read the channel. Most workspaces do not grant that, and need not. */
  readonly mayLook: (channel: Channel) => Promise<boolean>;
  /** Finds the message posted with a key, not before `since`: its `ts`, or null where there is none. Throws if Slack does not say. */
  readonly find: (
    channel: Channel,
    post: { readonly key: string; readonly since: Date; readonly threadTs: string | null },
  ) => Promise<string | null>;
};
