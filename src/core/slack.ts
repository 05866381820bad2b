import type { SlackPerson } from './model/people.ts';

// What Slack answers core; what core can ask it is in `src/slack/slack-port.ts`.

/** The bot's name where Slack does not say: the one in the manifest. */
export const usualBotName = 'plancast';

/** A posted message with links, as Slack names it: by an id of its own, even where the bot is not in the channel, or by channel and time. */
export type PostedLinks = {
  readonly unfurlId: string | null;
  readonly channelId: string;
  readonly ts: string;
};

/** Who can read a channel: people of other organizations; and, if it is public, everybody in its workspace. */
export type ChannelReaders = { readonly isShared: boolean; readonly isPublic: boolean };

/** A person of a workspace in Slack. */
export type NamedPerson = { readonly userId: string; readonly name: string };

/** Whether a person is in a conversation. `unknown`: Slack could not be asked, or did not say. */
export type InChannel = 'yes' | 'no' | 'unknown';

/** The state of an installation according to Slack. `none`: there is no installation, or no longer one. */
export type InstallationState = 'installed' | 'gone' | 'none' | 'unknown';

/** A person whose command or press can still open a form, if Slack sent a trigger with it. */
export type Trigger = { readonly person: SlackPerson; readonly triggerId?: string | null | undefined };

/** A form as it was opened. */
export type OpenedForm = { readonly id: string };

/** How Slack responded to a post. What follows from it is decided by the caller. */
export type PostOutcome =
  /** `directId`: the D… id of the conversation, if it was posted to a person's id. */
  | { readonly kind: 'posted'; readonly ts: string; readonly directId?: string | undefined }
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

/** Thrown if Slack does not say who a person is. Nobody's rights can be decided without that, but another try may succeed. */
export class PersonUnknown extends Error {
  override readonly name = 'PersonUnknown';
}

/** Slack accepts no direct message of the bot to this person, or not this message. `reason` is Slack's name for the error. */
export class DirectMessageRefused extends Error {
  override readonly name = 'DirectMessageRefused';
  readonly reason: string;

  constructor(reason: string, options?: ErrorOptions) {
    super('Slack refused a direct message', options);
    this.reason = reason;
  }
}
