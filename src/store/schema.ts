import type { ColumnType, Generated } from 'kysely';
import type { PostedAs } from '../core/model/change.ts';
import type { HeldReason } from '../core/model/held-reason.ts';
import type { LaneCard, PostAttempt } from '../core/model/lane-card.ts';
import type { PreviousState } from '../core/model/previous-state.ts';
import type { Delivery, Filters, Health, SubscriptionState } from '../core/model/subscription.ts';

/** `bigint` comes from `pg` as a decimal string, since it may not fit a number. */
type BigIntColumn = ColumnType<string, string | number | bigint, string | number | bigint>;
type NullableBigInt = ColumnType<
  string | null,
  string | number | bigint | null,
  string | number | bigint | null
>;
/** JSON columns are written as text, so that arrays are not taken for Postgres arrays by `pg`. */
type Json<T> = ColumnType<T, string, string>;
type NullableJson<T> = ColumnType<T | null, string | null, string | null>;

export type SecretsTable = { name: string; sealed: string };

export type LinksTable = {
  id: Generated<string>;
  enterprise_id: string | null;
  team_id: string;
  grid_id: string;
  user_id: string;
  account: string | null;
  sealed_access_token: string | null;
  access_expires_at: Date | null;
  sealed_refresh_token: string | null;
  refresh_expires_at: Date | null;
  scope: string | null;
  state: 'active' | 'relink' | 'frozen';
  relink_asked_at: Date | null;
  frozen_at: Date | null;
  linked_at: Date;
  refreshed_at: Date;
};

export type LinkAttemptsTable = {
  id: Generated<string>;
  enterprise_id: string | null;
  team_id: string;
  grid_id: string;
  user_id: string;
  channel_id: string | null;
  ticket_hash: Buffer;
  state_hash: Buffer | null;
  cookie_hash: Buffer | null;
  code_hash: Buffer | null;
  code_tries: Generated<number>;
  sealed_verifier: string | null;
  sealed_response_url: string | null;
  sealed_access_token: string | null;
  sealed_refresh_token: string | null;
  access_expires_at: Date | null;
  refresh_expires_at: Date | null;
  scope: string | null;
  account: string | null;
  request: NullableJson<unknown>;
  /** offered -> sent (to the service) -> answered -> proving (by code) -> replacing (asked) -> done; or dead. */
  step: 'offered' | 'sent' | 'answered' | 'proving' | 'replacing' | 'done' | 'dead';
  created_at: Date;
  expires_at: Date;
};

export type SubscriptionsTable = {
  id: Generated<string>;
  enterprise_id: string | null;
  team_id: string;
  channel_id: string;
  owner_user_id: string;
  kind: 'project' | 'folder' | 'file' | 'session' | 'document';
  parent_id: string;
  item_id: string | null;
  comprehensive: boolean;
  filters: Json<Filters>;
  delivery: Json<Delivery>;
  threads: boolean;
  callback_token_hash: Buffer;
  callback_base: string;
  service_subscription_id: NullableBigInt;
  /** The record that is being replaced upstream, so that nothing is lost while both exist. */
  previous_token_hash: Buffer | null;
  previous_service_subscription_id: NullableBigInt;
  previous_sealed_key: string | null;
  /** When the service's side of it was removed. */
  previous_removed_at: Date | null;
  sealed_key: string | null;
  signature_rule: string | null;
  signature_matches: Generated<number>;
  resource_path: string | null;
  resource_name: string | null;
  /** What its owner named it, shown until the service has sent a name. */
  typed_name: string | null;
  state: SubscriptionState;
  reason: string | null;
  health: NullableJson<Health>;
  last_event_at: Date | null;
  created_at: Date;
  changed_at: Date;
  ended_at: Date | null;
  /** When the service confirmed that its side is gone too. */
  released_at: Date | null;
  /** The subscription whose events it gets too; such a row has no record at the service. */
  fed_by: string | null;
};

export type EventsTable = {
  seq: Generated<string>;
  notification_id: string;
  subscription_id: string;
  service_subscription_id: NullableBigInt;
  enterprise_id: string | null;
  team_id: string;
  channel_id: string;
  state: 'pending' | 'posted' | 'filtered' | 'dead';
  reason: string | null;
  fingerprint: string | null;
  /** Under which the items are remembered whose last state a turn has to know; null where an older release wrote the row. */
  item_keys: string[] | null;
  notification: NullableJson<unknown>;
  /** What it waited for (a digest's hour, the end of a pause or mute), if it is posted in a summary. */
  summary: Generated<HeldReason | null>;
  /** What it was posted as, if that is not clear from the notification. */
  told: NullableJson<PostedAs>;
  message_ts: string | null;
  received_at: Date;
  posted_at: Date | null;
  /** When an admin had it tried again after it was a dead letter. */
  replayed_at: Date | null;
};

/** The conversation between the bot and a person: Slack's D… id. */
export type DirectMessagesTable = { team_id: string; user_id: string; channel_id: string };

export type ItemsTable = {
  team_id: string;
  channel_id: string;
  item_key: string;
  name: string | null;
  path: string | null;
  thread_ts: string | null;
  /** Ids of the folders it was last heard of in, from the root down to itself. */
  id_path: string | null;
  /** Whose subscription last brought word of it; null where an older release wrote the row. */
  owner_user_id: string | null;
  /** What it was before it was last renamed or moved. */
  previous: NullableJson<PreviousState>;
  changed_at: Date;
};

export type LanesTable = {
  enterprise_id: string | null;
  team_id: string;
  channel_id: string;
  fence: BigIntColumn;
  claimed_until: Date | null;
  /** The very statement that claimed it: where its answer was lost, its process knows the lane again by this. */
  claimed_by: string | null;
  not_before: Date | null;
  last_post_at: Date | null;
  /** The last message, while it may still be edited. */
  card: NullableJson<LaneCard>;
  /** A post whose answer was not read, to be looked for before it is made again. */
  attempt: NullableJson<PostAttempt>;
  failures: Generated<number>;
  paused_reason: string | null;
  /** When the channel was last reported open to the bot. */
  reopened_at: Date | null;
  muted_until: Date | null;
};

export type PacesTable = {
  team_id: string;
  /** Channels that Slack slowed down within a few seconds of each other. */
  limited_channels: Generated<string[]>;
  limited_at: Date | null;
  /** Until then no lane of the workspace posts. */
  not_before: Date | null;
  /** Until then all of its lanes share a pace. */
  crowded_until: Date | null;
  /** Posts and edits that may be made at once, and when that was counted. */
  posts_left: number | null;
  posts_at: Date | null;
  updates_left: number | null;
  updates_at: Date | null;
};

export type AnnouncementsTable = {
  id: Generated<string>;
  seq: Generated<string>;
  enterprise_id: string | null;
  team_id: string;
  channel_id: string;
  message: Json<unknown>;
  /** The subject of which only the newest announcement is posted. */
  subject: string | null;
  created_at: Date;
};

export type ChannelsTable = {
  enterprise_id: string | null;
  team_id: string;
  channel_id: string;
  is_out: boolean;
  out_ts: string | null;
  is_archived: boolean;
  archived_ts: string | null;
  is_shared: boolean;
  shared_ts: string | null;
  shared_told: boolean;
  shows_all: boolean;
  looked_at: Date | null;
};

export type SettingsTable = {
  team_id: string;
  enterprise_id: string | null;
  value: Json<unknown>;
  changed_at: Date;
};

export type RequestsTable = {
  id: Generated<string>;
  enterprise_id: string | null;
  team_id: string;
  channel_id: string;
  created_by: string;
  request: Json<unknown>;
  state: 'offered' | 'asked' | 'allowed' | 'declined';
  created_at: Date;
  answered_by: string | null;
  answered_at: Date | null;
};

export type ImportsTable = {
  id: Generated<string>;
  enterprise_id: string | null;
  team_id: string;
  channel_id: string;
  owner_user_id: string;
  request: Json<unknown>;
  zone: string | null;
  batch: string;
  created_at: Date;
  asked_at: Date | null;
};

export type SeenRequestsTable = { id: string; seen_at: Date };

/** A person's tries within the last minute, oldest first. */
export type CommandTriesTable = { team_id: string; user_id: string; tried_at: Date[]; last_at: Date };

export type AuditTable = {
  id: Generated<string>;
  enterprise_id: string | null;
  team_id: string;
  channel_id: string | null;
  user_id: string | null;
  act: string;
  subject: string | null;
  detail: NullableJson<unknown>;
  at: Date;
};

export type DeparturesTable = {
  /** The workspace's id, or the organization's. */
  id: string;
  enterprise_id: string | null;
  cause: 'uninstalled' | 'access revoked';
  /** By Slack's clock. */
  left_at: Date;
  noted_at: Date;
  confirmed_at: Date | null;
  tokens_removed_at: Date | null;
  purged_at: Date | null;
};

/** Items that are muted in a channel, and people whose changes are skipped there. */
export type ExclusionsTable = {
  id: Generated<string>;
  enterprise_id: string | null;
  team_id: string;
  channel_id: string;
  kind: 'item' | 'person';
  key: string;
  item_kind: string | null;
  name: string | null;
  folder: string[] | null;
  by_user_id: string;
  is_active: boolean;
  changed_at: Date;
};

/** Posted messages with an Undo button. */
export type UndoOffersTable = {
  enterprise_id: string | null;
  team_id: string;
  channel_id: string;
  message_ts: string;
  message: Json<unknown>;
  until: Date;
};

/** All tables as Kysely sees them, with the schema spelled out so that no search path is relied on. */
export type Database = {
  'plancast.secrets': SecretsTable;
  'plancast.links': LinksTable;
  'plancast.link_attempts': LinkAttemptsTable;
  'plancast.subscriptions': SubscriptionsTable;
  'plancast.events': EventsTable;
  'plancast.items': ItemsTable;
  'plancast.direct_messages': DirectMessagesTable;
  'plancast.lanes': LanesTable;
  'plancast.paces': PacesTable;
  'plancast.announcements': AnnouncementsTable;
  'plancast.channels': ChannelsTable;
  'plancast.settings': SettingsTable;
  'plancast.requests': RequestsTable;
  'plancast.imports': ImportsTable;
  'plancast.seen_requests': SeenRequestsTable;
  'plancast.audit': AuditTable;
  'plancast.command_tries': CommandTriesTable;
  'plancast.departures': DeparturesTable;
  'plancast.exclusions': ExclusionsTable;
  'plancast.undo_offers': UndoOffersTable;
};
