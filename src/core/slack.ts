import type { HomeView, ModalView } from '@slack/types';
import type { Message } from '../messages/text/message.ts';
import type { MayPost } from './model/may-post.ts';
import type { Channel, ProfileOf, SlackPerson, Workspace } from './model/people.ts';

/** A person who administers a workspace in Slack. */
export type Admin = { readonly userId: string; readonly name: string };

/**
 * Returns whether a person is an admin or owner of their workspace. Slack's answer is cached for a few seconds at most, so an admin who
 * is demoted loses the rights at once. Throws if Slack cannot be asked.
 */
export type IsAdmin = (person: SlackPerson) => Promise<boolean>;

/** Returns admins of a workspace, no more than can be asked at once; none if Slack does not say. */
export type AdminsOf = (workspace: Workspace) => Promise<readonly Admin[]>;

/** Returns the ids of a person's channels, as far as the bot can see them. Null if Slack could not be asked. Never throws. */
export type ChannelsOf = (person: SlackPerson) => Promise<ReadonlySet<string> | null>;

/** Returns the ids of a workspace's public channels. Null if Slack could not be asked. Never throws. */
export type PublicChannelsOf = (workspace: Workspace) => Promise<ReadonlySet<string> | null>;

/** Whether a person is in a conversation. `unknown`: Slack could not be asked, or did not say. */
export type InChannel = 'yes' | 'no' | 'unknown';

/** Asks Slack whether a person is in a conversation; a yes is cached for a few seconds. Never throws. */
export type IsInChannel = (person: SlackPerson, channelId: string) => Promise<InChannel>;

/** Thrown if Slack does not say who a person is. Nobody's rights can be decided without that, but another try may succeed. */
export class PersonUnknown extends Error {
  override readonly name = 'PersonUnknown';
}

/**
 * Sends a person a message that only they see, and stores the conversation's id in Slack's answer. Throws `DirectMessageRefused` if another
 * try would fail as well, and other errors if Slack cannot be reached.
 */
export type DirectMessage = (person: SlackPerson, message: Message) => Promise<void>;

/** Slack accepts no direct message of the bot to this person, or not this message. `reason` is Slack's name for the error. */
export class DirectMessageRefused extends Error {
  override readonly name = 'DirectMessageRefused';
  readonly reason: string;

  constructor(reason: string, options?: ErrorOptions) {
    super('Slack refused a direct message', options);
    this.reason = reason;
  }
}

/** A person whose command or press can still open a form, if Slack sent a trigger with it. */
type Trigger = { readonly person: SlackPerson; readonly triggerId?: string | null | undefined };

/** Opens a form for the person who asked, and returns it; null if Slack refuses because the click or command was too long ago. */
export type OpenForm = (asked: Trigger, view: ModalView) => Promise<OpenedForm | null>;

/** A form as it was opened. `hash`: Slack's hash of the view; it differs after each update. */
type OpenedForm = { readonly id: string; readonly hash: string };

/** Redraws a form, unless it is closed or shows a newer change than the one in `over`. */
export type UpdateForm = (
  asked: Pick<Trigger, 'person'>,
  viewId: string,
  view: ModalView,
  over?: ReplacedForm,
) => Promise<void>;

/** The state of a form when it was changed. */
type ReplacedForm = {
  readonly hash: OpenedForm['hash'];
  /** Returns whether the form has not been changed since. */
  readonly isNewest: () => Promise<boolean>;
};

/**
 * Publishes a person's Home tab. With `over`, the hash of the view it replaces, only if they still see that view or one that replaced
 * it.
 */
export type PublishHome = (person: SlackPerson, view: HomeView, over?: string) => Promise<void>;

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

/** Posts a message to a channel; never throws for an error of Slack's. */
export type Post = (
  channel: Channel,
  message: Message,
  options?: { readonly threadTs?: string | undefined },
) => Promise<PostOutcome>;

/** Replaces the content of a message; never throws for an error of Slack's. */
export type Edit = (channel: Channel, ts: string, message: Message) => Promise<PostOutcome>;

/** What core asks of Slack, and does there. The adapter in `src/slack/` implements it. */
export type Slack = {
  readonly profileOf: ProfileOf;
  /** Returns the profile of a few seconds ago at most, for decisions about rights. */
  readonly currentProfileOf: ProfileOf;
  readonly isAdmin: IsAdmin;
  readonly adminsOf: AdminsOf;
  readonly isInChannel: IsInChannel;
  readonly channelsOf: ChannelsOf;
  /** Clears what is cached about the channels of a person who left one, since they may no longer see its subscriptions. */
  readonly forgetMember: (channel: Channel, userId: string) => Promise<void>;
  readonly publicChannelsOf: PublicChannelsOf;
  /** Whether a channel has people from other organizations. Throws if Slack does not say. */
  readonly isShared: (channel: Channel) => Promise<boolean>;
  readonly mayPost: MayPost;
  /** Slack's answer, cached for at most half a minute: the form asks with every change of a field. */
  readonly recentlyMayPost: MayPost;
  /** Returns whether a workspace has an installation of its own, besides its organization's. */
  readonly isInstalled: (teamId: string) => Promise<boolean>;
  /** Returns the name to show for an email address of the service; null if Slack knows none. Without `mayAsk`, only caches are asked. */
  readonly nameOf: (workspace: Workspace, email: string, mayAsk?: boolean) => Promise<string | null>;
  /** The bot's name in Slack, for `/invite`. */
  readonly botNameOf: (workspace: Workspace) => Promise<string>;
  readonly post: Post;
  readonly edit: Edit;
  readonly directMessage: DirectMessage;
  readonly openForm: OpenForm;
  /** Opens a form on top of the current one. */
  readonly pushForm: OpenForm;
  readonly updateForm: UpdateForm;
  readonly publishHome: PublishHome;
};
