import type { Message } from '../messages/message.ts';
import type { Channel } from './people.ts';

/** How Slack took a message. What is done on each is decided by who posts, not by who asks Slack. */
export type PostOutcome =
  | { readonly kind: 'posted'; readonly ts: string }
  /** Surely not posted; the same may be tried again after so many seconds. */
  | { readonly kind: 'wait'; readonly seconds: number; readonly error: string }
  /** It may or may not have been posted (time-out, reset, 5xx). */
  | { readonly kind: 'perhaps'; readonly error: string }
  /** This channel is closed to the bot. */
  | { readonly kind: 'channel closed'; readonly error: string }
  /** The bot's token does not serve in this workspace. */
  | { readonly kind: 'workspace closed'; readonly error: string }
  /** The workspace is being moved into an organisation. */
  | { readonly kind: 'workspace moving'; readonly error: string }
  /** The message itself was refused. */
  | { readonly kind: 'refused'; readonly error: string }
  /** The thread is gone or closed. */
  | { readonly kind: 'thread gone'; readonly error: string };

/** Posts a message into a channel; never throws for Slack's sake. */
export type Post = (
  channel: Channel,
  message: Message,
  options?: { readonly threadTs?: string | undefined },
) => Promise<PostOutcome>;
