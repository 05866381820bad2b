// Longer than other files: Kysely wants the types of all tables in one place.
import type { ColumnType, Generated } from 'kysely';
import type { AuditDetail } from '../core/model/audit-act.ts';
import type { PostedAs } from '../core/model/change.ts';
import type { HeldReason } from '../core/model/held-reason.ts';
import type { LaneCard, PostAttempt } from '../core/model/lane-card.ts';
import type { LinkFault, LinkReceipt, LinkStep } from '../core/model/link.ts';
import type { Notification } from '../core/model/notification.ts';
import type { PreviousState } from '../core/model/previous-state.ts';
import type { Delivery, Filters, Health, SubscriptionState } from '../core/model/subscription.ts';
import type { SettingsUndo } from '../core/model/undo.ts';

/** `pg` returns `bigint` as a decimal string, since it may not fit a number. */
type BigIntColumn = ColumnType<string, string | number | bigint, string | number | bigint>;
type NullableBigInt = ColumnType<
  string | null,
  string | number | bigint | null,
  string | number | bigint | null
>;
/** JSON columns are written as text, so that `pg` does not turn arrays into Postgres arrays. */
type Json<T> = ColumnType<T, string, string>;
type NullableJson<T> = ColumnType<T | null, string | null, string | null>;

/** Columns of a table whose rows belong to a workspace. */
type WorkspaceColumns = { enterpriseId: string | null; teamId: string };
/** Columns of a table whose rows belong to a channel. */
type ChannelColumns = WorkspaceColumns & { channelId: string };

type SecretsTable = { name: string; sealed: string };

export type LinksTable = WorkspaceColumns & {
  id: Generated<string>;
  gridId: string;
  userId: string;
  account: string | null;
  sealedAccessToken: string | null;
  accessExpiresAt: Date | null;
  sealedRefreshToken: string | null;
  refreshExpiresAt: Date | null;
  scope: string | null;
  state: 'active' | 'relink' | 'frozen';
  relinkAskedAt: Date | null;
  frozenAt: Date | null;
  linkedAt: Date;
  refreshedAt: Date;
};

export type LinkAttemptsTable = WorkspaceColumns & {
  id: Generated<string>;
  gridId: string;
  userId: string;
  channelId: string | null;
  ticketHash: Buffer;
  stateHash: Buffer | null;
  cookieHash: Buffer | null;
  codeHash: Buffer | null;
  codeTries: Generated<number>;
  sealedVerifier: string | null;
  sealedResponseUrl: string | null;
  sealedAccessToken: string | null;
  sealedRefreshToken: string | null;
  accessExpiresAt: Date | null;
  refreshExpiresAt: Date | null;
  scope: string | null;
  account: string | null;
  request: NullableJson<unknown>;
  /** Of a link that was made, until its person has been sent it. */
  receipt: NullableJson<LinkReceipt>;
  /** When another process may do what is left to do after the link; null before it is made. */
  followUpAt: Date | null;
  /** When the service sent the browser back; null before. */
  answeredAt: Date | null;
  fault: LinkFault | null;
  faultDetail: string | null;
  /** offered -> sent (to the service) -> answered -> proving (by code) -> replacing (asked) -> done; or dead. */
  step: LinkStep;
  createdAt: Date;
  expiresAt: Date;
};

export type SubscriptionsTable = ChannelColumns & {
  id: Generated<string>;
  ownerUserId: string;
  kind: 'project' | 'folder' | 'file' | 'session' | 'document';
  parentId: string;
  itemId: string | null;
  comprehensive: boolean;
  filters: Json<Filters>;
  delivery: Json<Delivery>;
  threads: boolean;
  callbackTokenHash: Buffer;
  callbackBase: string;
  /** Null until the service has answered the create request. */
  serviceSubscriptionId: NullableBigInt;
  /** The remote subscription that is being replaced upstream, so that nothing is lost while both exist. */
  previousTokenHash: Buffer | null;
  previousServiceSubscriptionId: NullableBigInt;
  previousSealedKey: string | null;
  /** When the service removed it. */
  previousRemovedAt: Date | null;
  sealedKey: string | null;
  signatureRule: string | null;
  signatureMatches: Generated<number>;
  resourcePath: string | null;
  resourceName: string | null;
  /** The name its owner gave it, shown until the service has sent a name. */
  typedName: string | null;
  state: SubscriptionState;
  reason: string | null;
  /** Null until its settings are changed. */
  undo: NullableJson<SettingsUndo>;
  /** Null until the first check. */
  health: NullableJson<Health>;
  lastEventAt: Date | null;
  createdAt: Date;
  changedAt: Date;
  endedAt: Date | null;
  /** When the service confirmed that the remote subscription is gone too. */
  releasedAt: Date | null;
  /** The subscription whose events this one receives as well; such a row has no remote subscription. */
  fedBy: string | null;
  /** For a subscription fed by another: when Slack was last asked whether its owner can still read the other one's channel. */
  lookedAt: Date | null;
};

type EventsTable = ChannelColumns & {
  seq: Generated<string>;
  notificationId: string;
  subscriptionId: string;
  serviceSubscriptionId: NullableBigInt;
  state: 'pending' | 'posted' | 'filtered' | 'dead';
  reason: string | null;
  fingerprint: string | null;
  /** Keys of the items whose last state a turn needs; null if an older release wrote the row. */
  itemKeys: string[] | null;
  /** Stored by `acceptEvents` from a parsed notification; null once its details were deleted. */
  notification: NullableJson<Notification>;
  /** What it waited for (a digest's hour, the end of a pause or mute), if it is posted in a summary. */
  summary: Generated<HeldReason | null>;
  /** How it was rendered, if the notification alone does not show it. */
  told: NullableJson<PostedAs>;
  messageTs: string | null;
  receivedAt: Date;
  postedAt: Date | null;
  /** When an admin retried it after it had become a dead letter. */
  replayedAt: Date | null;
};

type ItemsTable = {
  teamId: string;
  channelId: string;
  itemKey: string;
  name: string | null;
  path: string | null;
  threadTs: string | null;
  /** Ids of the folders it was last reported in, from the root down to the item itself. */
  idPath: string | null;
  /** Owner of the subscription that last reported it; null if an older release wrote the row. */
  ownerUserId: string | null;
  /** Its state before it was last renamed or moved. */
  previous: NullableJson<PreviousState>;
  changedAt: Date;
};

type LanesTable = ChannelColumns & {
  fence: BigIntColumn;
  claimedUntil: Date | null;
  /** The statement that claimed it: if the answer was lost, its process recognizes the lane by this. */
  claimedBy: string | null;
  notBefore: Date | null;
  lastPostAt: Date | null;
  /** The last message, while it may still be edited. */
  card: NullableJson<LaneCard>;
  /** A post whose answer was not read; the bot looks for it before posting again. */
  attempt: NullableJson<PostAttempt>;
  failures: Generated<number>;
  pausedReason: string | null;
  /** When the channel was last reported open to the bot. */
  reopenedAt: Date | null;
  mutedUntil: Date | null;
};

type AnnouncementsTable = ChannelColumns & {
  id: Generated<string>;
  seq: Generated<string>;
  message: Json<unknown>;
  /** Of all announcements on a subject, only the newest is posted. */
  subject: string | null;
  createdAt: Date;
  /** When its transaction began, as in the audit log. */
  madeAt: Generated<Date | null>;
};

type AuditTable = WorkspaceColumns & {
  id: Generated<string>;
  channelId: string | null;
  userId: string | null;
  act: string;
  subject: string | null;
  detail: NullableJson<AuditDetail>;
  at: Date;
  /** The message that announced it. */
  messageTs: Generated<string | null>;
};

/**
 * All tables as Kysely sees them: names in camel case, which `connect` turns into the snake case of the database, with the schema spelled
 * out so that no search path is needed.
 */
export type Database = {
  'plancast.secrets': SecretsTable;
  'plancast.links': LinksTable;
  'plancast.linkAttempts': LinkAttemptsTable;
  'plancast.subscriptions': SubscriptionsTable;
  'plancast.events': EventsTable;
  'plancast.items': ItemsTable;
  'plancast.lanes': LanesTable;
  'plancast.announcements': AnnouncementsTable;
  'plancast.audit': AuditTable;
};
