import type { Selectable } from 'kysely';
import type { Link, LinkTokens } from '../../core/model/link.ts';
import type { LinksTable } from '../schema.ts';
import type { Sealing } from '../sealing/sealing.ts';

/** A row of the table `links`. */
export type LinkRow = Selectable<LinksTable>;
type SealedLinkColumn = 'sealed_access_token' | 'sealed_refresh_token';

/** Seals the tokens of links into their columns, and opens them again. */
export function makeSealedLink(sealing: Pick<Sealing, 'seal' | 'open'>) {
  const seal = (id: string, column: SealedLinkColumn, text: string | null): Promise<string | null> =>
    text === null ? Promise.resolve(null) : sealing.seal({ table: 'links', row: id, column }, text);
  const open = (row: LinkRow, column: SealedLinkColumn): Promise<string | null> => {
    const sealed = row[column];
    return sealed === null
      ? Promise.resolve(null)
      : sealing.open({ table: 'links', row: row.id, column }, sealed);
  };

  const tokensOf = async (row: LinkRow): Promise<LinkTokens> => ({
    accessToken: await open(row, 'sealed_access_token'),
    accessExpiresAt: row.access_expires_at,
    refreshToken: await open(row, 'sealed_refresh_token'),
    refreshExpiresAt: row.refresh_expires_at,
  });

  const columnsOf = async (id: string, tokens: LinkTokens) => ({
    sealed_access_token: await seal(id, 'sealed_access_token', tokens.accessToken),
    access_expires_at: tokens.accessExpiresAt,
    sealed_refresh_token: await seal(id, 'sealed_refresh_token', tokens.refreshToken),
    refresh_expires_at: tokens.refreshExpiresAt,
  });

  return { open, tokensOf, columnsOf };
}

/** A row as the rest of the bot sees it, without its tokens. */
export function linkOf(row: LinkRow): Link {
  return {
    id: row.id,
    enterpriseId: row.enterprise_id,
    teamId: row.team_id,
    userId: row.user_id,
    account: row.account,
    scope: row.scope,
    state: row.state,
    linkedAt: row.linked_at,
    refreshedAt: row.refreshed_at,
  };
}
