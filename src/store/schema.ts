import type { ColumnType, Generated } from 'kysely';
import type { LinkFault, LinkReceipt, LinkStep } from '../core/model/link.ts';

/** JSON columns are written as text, so that `pg` does not turn arrays into Postgres arrays. */
type NullableJson<T> = ColumnType<T | null, string | null, string | null>;

/** Columns of a table whose rows belong to a workspace. */
type WorkspaceColumns = { enterpriseId: string | null; teamId: string };

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

/**
 * The tables whose statements Kysely builds: names in camel case, which `connect` turns into the snake case of the database, with the schema
 * spelled out so that no search path is needed. All other statements are SQL.
 */
export type Database = {
  'plancast.secrets': SecretsTable;
  'plancast.links': LinksTable;
  'plancast.linkAttempts': LinkAttemptsTable;
};
