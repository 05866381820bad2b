import type { HomeView, ModalView } from '@slack/types';
import type { Message } from '../messages/text/message.ts';
import type { Channel, Profile, SlackPerson, Workspace } from './model/people.ts';
import type { FeaturesOff, Postable } from './model/slack-access.ts';

/** The bot's name where Slack does not say: the one in the manifest. */
export const usualBotName = 'plancast';

/** What core asks of Slack, and does there. The adapter in `src/slack/` implements it. */
export type Slack = {
  /** Returns a profile, cached for minutes. Throws `PersonUnknown`. */
  readonly profileOf: (person: SlackPerson) => Promise<Profile>;
  /** Returns a profile as it was within the last minutes; null, for a minute, if Slack did not say. Never throws. */
  readonly recentProfileOf: (person: SlackPerson) => Promise<Profile | null>;
  /** Returns the profile of a few seconds ago at most, for decisions about rights. Throws `PersonUnknown`. */
  readonly currentProfileOf: (person: SlackPerson) => Promise<Profile>;
  /**
   * Returns whether a person is an admin or owner of their workspace. Slack's answer is cached for a few seconds at most, so an admin who
   * is demoted loses the rights at once. Throws if Slack cannot be asked.
   */
  readonly isAdmin: (person: SlackPerson) => Promise<boolean>;
  /** Returns admins of a workspace, no more than can be asked at once; none if Slack does not say. */
  readonly adminsOf: (workspace: Workspace) => Promise<readonly NamedPerson[]>;
  /**
   * Names the people of a workspace, the first 2,000 of them, cached for minutes: those whom Slack has named within so many milliseconds, and
   * more when asked again. Never throws.
   */
  readonly peopleIn: (workspace: Workspace, withinMs: number) => Promise<readonly NamedPerson[]>;
  /** Asks Slack whether a person is in a conversation; a yes is cached for a few seconds. Never throws. */
  readonly isInChannel: (person: SlackPerson, channelId: string) => Promise<InChannel>;
  /** Returns the ids of a person's channels, as far as the bot can see them. Null if Slack could not be asked. Never throws. */
  readonly channelsOf: (person: SlackPerson) => Promise<ReadonlySet<string> | null>;
  /**
   * Returns the names of a person's channels by id, as far as the bot can see them; they are not stored. Null if Slack could not be asked.
   * Never throws.
   */
  readonly channelNamesOf: (person: SlackPerson) => Promise<ReadonlyMap<string, string> | null>;
  /** Clears what is cached about the channels of a person who joined or left one, as they may see its subscriptions or no longer. */
  readonly forgetMember: (channel: Channel, userId: string) => Promise<void>;
  /** Returns the ids of a workspace's public channels. Null if Slack could not be asked. Never throws. */
  readonly publicChannelsOf: (workspace: Workspace) => Promise<ReadonlySet<string> | null>;
  /** Whether a channel has people from other organizations. Throws if Slack does not say. */
  readonly isShared: (channel: Channel) => Promise<boolean>;
  /** Who can read a channel. Throws if Slack does not say. */
  readonly readersOf: (channel: Channel) => Promise<ChannelReaders>;
  readonly mayPost: (channel: Channel) => Promise<Postable>;
  /** Slack's answer, cached for at most half a minute: the form asks with every change of a field. */
  readonly recentlyMayPost: (channel: Channel) => Promise<Postable>;
  /** Returns the name to show for an email address of the service; null if Slack knows none. Without `mayAsk`, only caches are asked. */
  readonly nameOf: (workspace: Workspace, email: string, mayAsk?: boolean) => Promise<string | null>;
  /** The bot's name in Slack, for `/invite`. */
  readonly botNameOf: (workspace: Workspace) => Promise<string>;
  /** Returns what is off in a workspace for lack of scopes, and where an admin installs the bot again. Throws if it is not installed. */
  readonly featuresOff: (workspace: Workspace) => Promise<FeaturesOff>;
  /** Returns the workspace's name; throws if Slack cannot be asked. */
  readonly workspaceNameOf: (workspace: Workspace) => Promise<string>;

  /** Posts a message to a channel; never throws for an error of Slack's. */
  readonly post: (channel: Channel, message: Message, threadTs?: string | null) => Promise<PostOutcome>;
  /** Replaces the content of a message; never throws for an error of Slack's. */
  readonly edit: (channel: Channel, ts: string, message: Message) => Promise<PostOutcome>;
  /**
   * Sends a person a message that only they see, and stores the conversation's id in Slack's answer. Throws `DirectMessageRefused` if
   * another try would fail as well, and other errors if Slack cannot be reached.
   */
  readonly directMessage: (person: SlackPerson, message: Message) => Promise<void>;
  /** Shows a message in a channel, or in one of its threads, to one person only. Slack does not keep it. Throws if Slack refuses it. */
  readonly showTo: (
    person: SlackPerson,
    where: { readonly channelId: string; readonly threadTs: string | null },
    message: Message,
  ) => Promise<void>;
  /** Answers in private through a `response_url`. Throws if Slack no longer accepts it. `remove`: deletes the pressed button's message. */
  readonly answer: (
    responseUrl: string,
    message: Message | null,
    options?: { readonly replace?: boolean | undefined; readonly remove?: boolean | undefined },
  ) => Promise<void>;
  /**
   * Shows previews below a posted message, by the links in it as Slack sent them. Does nothing if an admin has not granted that. Returns
   * after how many seconds Slack takes them if it limits them now, else null. Throws if Slack refuses them.
   */
  readonly preview: (
    workspace: Workspace,
    posted: PostedLinks,
    previews: ReadonlyMap<string, Message>,
  ) => Promise<number | null>;
  /** Opens a form for the person who asked, and returns it; null if Slack refuses because the click or command was too long ago. */
  readonly openForm: (asked: Trigger, view: ModalView) => Promise<OpenedForm | null>;
  /** Opens a form on top of the current one. */
  readonly pushForm: (asked: Trigger, view: ModalView) => Promise<OpenedForm | null>;
  /** Redraws a form, unless it is closed. */
  readonly updateForm: (asked: Pick<Trigger, 'person'>, viewId: string, view: ModalView) => Promise<void>;
  /**
   * Publishes a person's Home tab. With `over`, the hash of the view it replaces, only if they still see that view or one that replaced
   * it.
   */
  readonly publishHome: (person: SlackPerson, view: HomeView, over?: string) => Promise<void>;

  /** Returns whether a workspace or organization has an installation of its own, valid or not. */
  readonly isInstalled: (id: string) => Promise<boolean>;
  /** Returns whether an installation is newer than an event of this time, or its token still works. */
  readonly installationState: (id: string, leftAt: Date) => Promise<InstallationState>;
  /** Returns whether an organization gives its installation access to a workspace. */
  readonly access: (enterpriseId: string, teamId: string) => Promise<InstallationState>;
  /** Whether Slack serves the bot in a workspace, as far as that can be checked without posting. */
  readonly isServed: (workspace: Workspace) => Promise<boolean>;
  /** Whether Slack says that the token for a workspace is gone for good. */
  readonly isRevoked: (workspace: Workspace) => Promise<boolean>;
  /** Deletes an installation and its token, unless it was made after `leftAt`. */
  readonly forgetInstallation: (id: string, leftAt: Date) => Promise<void>;
};

/** A posted message with links, as Slack names it: by an id of its own, even where the bot is not in the channel, or by channel and time. */
export type PostedLinks = {
  readonly unfurlId: string | null;
  readonly channelId: string;
  readonly ts: string;
};

/** Who can read a channel: people of other organizations; and, if it is public, everybody in its workspace. */
export type ChannelReaders = { readonly isShared: boolean; readonly isPublic: boolean };

/** A person of a workspace in Slack. */
type NamedPerson = { readonly userId: string; readonly name: string };

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
