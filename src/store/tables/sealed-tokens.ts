import type { LinkTokens } from '../../core/model/link.ts';
import type { Sealing } from '../sealing/sealing.ts';
import { sql } from '../sql.ts';

// The columns in which `links` and `link_attempts` store the tokens of an account. A column's name is part of what is sealed.

/** The part of `Sealing` that `links` and `link_attempts` use. */
export type TokenSealing = Pick<Sealing, 'seal' | 'open'>;

/** Tokens as they are stored. */
export type SealedTokens = {
  readonly sealedAccessToken: string | null;
  readonly accessExpiresAt: Date | null;
  readonly sealedRefreshToken: string | null;
  readonly refreshExpiresAt: Date | null;
};

type SealedRow = { readonly table: 'links' | 'link_attempts'; readonly row: string };
type SealedColumnName =
  | 'sealed_access_token'
  | 'sealed_refresh_token'
  | 'sealed_verifier'
  | 'sealed_response_url';

export const tokenColumns = sql`sealed_access_token, access_expires_at, sealed_refresh_token, refresh_expires_at`;

const handle =
  (how: 'seal' | 'open') =>
  async (sealing: TokenSealing, row: SealedRow, column: SealedColumnName, text: string | null) =>
    text === null ? null : sealing[how]({ ...row, column }, text);

/** Seals a text for a column of a row. Null stays null. */
export const seal = handle('seal');
/** Opens what `seal` has sealed. Null stays null. */
export const open = handle('open');

/** Opens the tokens of a row. */
export async function openTokens(
  sealing: TokenSealing,
  row: SealedRow,
  { sealedAccessToken, sealedRefreshToken, accessExpiresAt, refreshExpiresAt }: SealedTokens,
): Promise<LinkTokens> {
  return {
    accessToken: await open(sealing, row, 'sealed_access_token', sealedAccessToken),
    accessExpiresAt,
    refreshToken: await open(sealing, row, 'sealed_refresh_token', sealedRefreshToken),
    refreshExpiresAt,
  };
}

/** Returns the assignments of an update that stores tokens. */
export async function setTokens(sealing: TokenSealing, row: SealedRow, tokens: LinkTokens) {
  const accessToken = await seal(sealing, row, 'sealed_access_token', tokens.accessToken);
  const refreshToken = await seal(sealing, row, 'sealed_refresh_token', tokens.refreshToken);
  return sql`
    sealed_access_token = ${accessToken}, access_expires_at = ${tokens.accessExpiresAt},
    sealed_refresh_token = ${refreshToken}, refresh_expires_at = ${tokens.refreshExpiresAt}`;
}
