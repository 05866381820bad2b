import type { Log } from '../../lib/log.ts';
import type { RemoveData } from '../../store/remove-data.ts';
import type { Audit } from '../../store/tables/audit.ts';
import type { DirectMessages } from '../../store/tables/direct-messages.ts';
import type { Imports } from '../../store/tables/imports.ts';
import type { StoredSettings } from '../../store/tables/settings.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { Traces } from '../../store/tables/traces.ts';
import type { WorkspaceSubscriptions } from '../../store/workspace-subscriptions.ts';
import type { WriteAudit } from '../access/write-audit.ts';
import type { Bot } from '../bot.ts';
import type { ChannelsRoomDeps } from '../channels/channels-deps.ts';
import type { ChannelsRoom } from '../channels/channels-room.ts';
import type { LinkCommands } from '../linking/link-commands.ts';
import type { LinkingRoom } from '../linking/linking-room.ts';
import type { Clock } from '../model/clock.ts';
import type { MayPost } from '../model/may-post.ts';
import type { ProfileOf } from '../model/people.ts';
import type {
  ChannelsOf,
  DirectMessage,
  IsAdmin,
  IsInChannel,
  OpenForm,
  PublicChannelsOf,
  PublishHome,
  UpdateForm,
} from '../slack.ts';
import type { ReadWords } from './read-file.ts';

/** What this room uses of others. */
type AdministeringRoomUses = Pick<ChannelsRoom, 'pauseSubscription'> &
  Pick<LinkingRoom, 'emailsOf' | 'unlink'>;

/** What this room needs from outside. Its files take all of it, and name in addition what they need of each other. */
export type AdministeringRoomDeps = AdministeringRoomUses & {
  readonly bot: Bot;
  readonly clock: Clock;
  readonly audited: Pick<Audit, 'list' | 'lastTo'>;
  readonly directMessages: Pick<DirectMessages, 'of'>;
  readonly imports: Pick<Imports, 'unasked' | 'markAsked' | 'of' | 'claim' | 'unclaim' | 'remove'>;
  readonly removeData: RemoveData;
  readonly settings: Pick<StoredSettings, 'of'>;
  readonly traces: Pick<Traces, 'unmatched'>;
  readonly subscriptions: Pick<Subscriptions, 'byId' | 'ofWorkspace' | 'ofChannel' | 'ofOwner' | 'ofTarget'>;
  readonly workspaceSubscriptions: Pick<WorkspaceSubscriptions, 'channels' | 'list' | 'exportable'>;
  readonly profileOf: ProfileOf;
  readonly isAdmin: IsAdmin;
  readonly channelsOf: ChannelsOf;
  readonly publicChannelsOf: PublicChannelsOf;
  readonly isInChannel: IsInChannel;
  /** From a cache that is half a minute old at most. */
  readonly recentlyMayPost: MayPost;
  readonly isShared: ChannelsRoomDeps['isShared'];
  readonly directMessage: DirectMessage;
  readonly openForm: OpenForm;
  readonly updateForm: UpdateForm;
  readonly publish: PublishHome;
  readonly requireLink: LinkCommands['requireLink'];
  readonly readWords: ReadWords;
  /** Returns a few characters that tell two texts apart. */
  readonly hash: (text: string) => string;
  readonly audit: WriteAudit;
  readonly log: Pick<Log, 'warn' | 'error'>;
};
