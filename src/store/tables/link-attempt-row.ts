import type { Selectable } from 'kysely';
import type { Grant, LinkAttempt, LinkReceipt } from '../../core/model/link.ts';
import type { SlackPerson } from '../../core/model/people.ts';
import type { LinkAttemptsTable } from '../schema.ts';
import type { makeSealedTokens } from './sealed-tokens.ts';

type Row = Selectable<LinkAttemptsTable>;
/** An attempt with the tokens that were stored for it; only the caller that takes the attempt gets them. */
export type PendingAttempt = { readonly attempt: LinkAttempt; readonly grant: Grant };

/** Reads attempts from their rows, and opens what is sealed there. */
export function makeAttemptReader({ open, tokensOf }: ReturnType<typeof makeSealedTokens>) {
  const attemptOf = async (row: Row): Promise<LinkAttempt> => {
    const { id, enterpriseId, teamId, userId, channelId, request, step, expiresAt } = row;
    const { answeredAt, account, fault, faultDetail: detail } = row;
    const responseUrl = await open(id, 'sealed_response_url', row.sealedResponseUrl);
    const used = row.stateHash !== null;
    const person = { enterpriseId, teamId, userId };
    const failure = fault === null ? null : { fault, detail };
    return {
      id,
      ...person,
      channelId,
      responseUrl,
      request,
      used,
      step,
      expiresAt,
      answeredAt,
      account,
      failure,
    };
  };

  /** Returns null if the tokens of an attempt are gone. */
  const pendingOf = async (row: Row | undefined): Promise<PendingAttempt | null> => {
    if (row === undefined) return null;
    const { accessToken, ...tokens } = await tokensOf(row);
    if (accessToken === null) return null;
    const { account, scope } = row;
    return { attempt: await attemptOf(row), grant: { ...tokens, accessToken, account, scope } };
  };

  return { attemptOf, pendingOf };
}

export type NewLinkAttempt = {
  readonly person: SlackPerson;
  readonly channelId: string | null;
  readonly responseUrl: string | null;
  /** Any JSON value. */
  readonly request: unknown;
  readonly ticketHash: Buffer;
  readonly now: Date;
  readonly expiresAt: Date;
  /** At most `most` attempts of a person since `since`. */
  readonly limit: { readonly since: Date; readonly most: number };
};

/** What a person asked for before they linked, and the attempt that it waited for. */
export type WaitingRequest = Pick<LinkAttempt, 'id' | 'channelId' | 'request'>;

/** An attempt that made a link. `receipt`: null if its person was sent it. */
export type UnfinishedAttempt = { readonly attempt: LinkAttempt; readonly receipt: LinkReceipt | null };

/** An attempt that came back from the service; only the caller that takes it gets this. */
export type AnsweredAttempt = {
  readonly attempt: LinkAttempt;
  readonly cookieHash: Buffer;
  readonly codeVerifier: string;
};

/** The hash of the expected code, and how many tries are left. */
export type CodeTry = { readonly id: string; readonly codeHash: Buffer; readonly triesLeft: number };
