import type { Selectable } from 'kysely';
import type { Grant, LinkAttempt } from '../../core/model/link.ts';
import type { SlackPerson } from '../../core/model/people.ts';
import type { LinkAttemptsTable } from '../schema.ts';
import type { Sealing } from '../sealing/sealing.ts';

type Row = Selectable<LinkAttemptsTable>;
type SealedAttemptColumn =
  | 'sealed_verifier'
  | 'sealed_response_url'
  | 'sealed_access_token'
  | 'sealed_refresh_token';

/** An attempt with the tokens it waited with; only the caller that took it has it. */
export type PendingAttempt = { readonly attempt: LinkAttempt; readonly grant: Grant };

/** Seals the secrets of attempts into their columns, and opens them again. */
export function makeSealedAttempt(sealing: Pick<Sealing, 'seal' | 'open'>) {
  const seal = (id: string, column: SealedAttemptColumn, text: string | null): Promise<string | null> =>
    text === null ? Promise.resolve(null) : sealing.seal({ table: 'link_attempts', row: id, column }, text);
  const open = (row: Row, column: SealedAttemptColumn): Promise<string | null> => {
    const sealed = row[column];
    return sealed === null
      ? Promise.resolve(null)
      : sealing.open({ table: 'link_attempts', row: row.id, column }, sealed);
  };

  const attemptOf = async (row: Row): Promise<LinkAttempt> => ({
    id: row.id,
    enterpriseId: row.enterprise_id,
    teamId: row.team_id,
    userId: row.user_id,
    channelId: row.channel_id,
    responseUrl: await open(row, 'sealed_response_url'),
    request: row.request,
    used: row.state_hash !== null,
    step: row.step,
    expiresAt: row.expires_at,
  });

  /** The tokens that an attempt waits with; null if they are gone. */
  const grantOf = async (row: Row): Promise<Grant | null> => {
    const accessToken = await open(row, 'sealed_access_token');
    return accessToken === null
      ? null
      : {
          accessToken,
          accessExpiresAt: row.access_expires_at,
          refreshToken: await open(row, 'sealed_refresh_token'),
          refreshExpiresAt: row.refresh_expires_at,
          account: row.account,
          scope: row.scope,
        };
  };

  const pendingOf = async (row: Row | undefined): Promise<PendingAttempt | null> => {
    const grant = row === undefined ? null : await grantOf(row);
    return row === undefined || grant === null ? null : { attempt: await attemptOf(row), grant };
  };

  return { seal, open, attemptOf, pendingOf };
}

export type NewLinkAttempt = {
  readonly person: SlackPerson;
  readonly channelId: string | null;
  readonly responseUrl: string | null;
  /** Anything that JSON can hold. */
  readonly request: unknown;
  readonly ticketHash: Buffer;
  readonly now: Date;
  readonly expiresAt: Date;
  /** No more than `most` attempts of a person since `since`. */
  readonly limit: { readonly since: Date; readonly most: number };
};

/** An attempt that came back from the service; only the caller that took it has it. */
export type AnsweredAttempt = {
  readonly attempt: LinkAttempt;
  readonly cookieHash: Buffer;
  readonly codeVerifier: string;
};

/** The hash of the expected code, and the tries left. */
export type CodeTry = { readonly id: string; readonly codeHash: Buffer; readonly triesLeft: number };
