import type { Selectable } from 'kysely';
import type { LinkTokens } from '../../core/model/link.ts';
import type { LinksTable } from '../schema.ts';
import type { Sealing } from '../sealing/sealing.ts';

/** The columns in which `links` and `link_attempts` store the tokens of an account. */
export const tokenColumns = [
  'sealedAccessToken',
  'accessExpiresAt',
  'sealedRefreshToken',
  'refreshExpiresAt',
] as const;
/** Tokens as they are stored. */
export type SealedTokens = Pick<Selectable<LinksTable>, (typeof tokenColumns)[number]>;

/** Columns as the database names them: the name is part of what is sealed (see `SealedPlace`). */
type SealedColumnName =
  | 'sealed_access_token'
  | 'sealed_refresh_token'
  | 'sealed_verifier'
  | 'sealed_response_url';

/** The part of `Sealing` that `links` and `link_attempts` use. */
export type TokenSealing = Pick<Sealing, 'seal' | 'open'>;

/** Seals texts, and the tokens of an account, into the columns of a row of `table`, and opens them again. Null stays null. */
export function makeSealedTokens(table: 'links' | 'link_attempts', sealing: TokenSealing) {
  const seal = async (row: string, column: SealedColumnName, text: string | null): Promise<string | null> =>
    text === null ? null : sealing.seal({ table, row, column }, text);
  const open = async (
    row: string,
    column: SealedColumnName,
    sealed: string | null,
  ): Promise<string | null> => (sealed === null ? null : sealing.open({ table, row, column }, sealed));

  return {
    seal,
    open,

    tokensOf: async ({ id, ...row }: SealedTokens & { readonly id: string }): Promise<LinkTokens> => ({
      accessToken: await open(id, 'sealed_access_token', row.sealedAccessToken),
      accessExpiresAt: row.accessExpiresAt,
      refreshToken: await open(id, 'sealed_refresh_token', row.sealedRefreshToken),
      refreshExpiresAt: row.refreshExpiresAt,
    }),

    sealTokens: async (id: string, tokens: LinkTokens): Promise<SealedTokens> => ({
      sealedAccessToken: await seal(id, 'sealed_access_token', tokens.accessToken),
      accessExpiresAt: tokens.accessExpiresAt,
      sealedRefreshToken: await seal(id, 'sealed_refresh_token', tokens.refreshToken),
      refreshExpiresAt: tokens.refreshExpiresAt,
    }),
  };
}
