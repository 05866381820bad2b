import type { Log } from '../../lib/log.ts';
import type { CommandTries } from '../../store/tables/command-tries.ts';
import type { DirectMessages } from '../../store/tables/direct-messages.ts';
import type { Imports } from '../../store/tables/imports.ts';
import type { StoredSettings } from '../../store/tables/settings.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { WorkspaceSubscriptions } from '../../store/workspace-subscriptions.ts';
import type { WriteAudit } from '../access/write-audit.ts';
import type { Bot } from '../bot.ts';
import type { ChannelsRoomDeps } from '../channels/channels-deps.ts';
import type { LinkCommands } from '../linking/link-commands.ts';
import type { Clock } from '../model/clock.ts';
import type { MayPost } from '../model/may-post.ts';
import type { DirectMessage, IsInChannel, OpenForm, UpdateForm } from '../slack.ts';
import type { ReadWords } from './read-file.ts';

/** What exports and imports need from outside. */
export type AdministeringRoomDeps = {
  readonly bot: Bot;
  readonly clock: Clock;
  readonly directMessages: Pick<DirectMessages, 'of'>;
  readonly imports: Pick<Imports, 'unasked' | 'markAsked' | 'of' | 'claim' | 'unclaim' | 'remove'>;
  readonly settings: Pick<StoredSettings, 'of'>;
  readonly subscriptions: Pick<Subscriptions, 'ofTarget'>;
  readonly workspaceSubscriptions: Pick<WorkspaceSubscriptions, 'exportable'>;
  readonly isInChannel: IsInChannel;
  /** From a cache that is half a minute old at most. */
  readonly recentlyMayPost: MayPost;
  readonly isShared: ChannelsRoomDeps['isShared'];
  readonly directMessage: DirectMessage;
  readonly openForm: OpenForm;
  readonly updateForm: UpdateForm;
  readonly requireLink: LinkCommands['requireLink'];
  readonly readWords: ReadWords;
  readonly commandTries: Pick<CommandTries, 'take'>;
  /** Returns how long the process has computed so far, in milliseconds of processor time. */
  readonly processorMs: () => number;
  /** Returns a few characters that tell two texts apart. */
  readonly hash: (text: string) => string;
  readonly audit: WriteAudit;
  readonly log: Pick<Log, 'warn' | 'error'>;
};
