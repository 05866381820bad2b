import { type Phrase, say, strong } from '../text/phrase.ts';

/** Returns " as dana@example.com", or `unnamed` if the service did not name the account. */
export function accountIs(account: string | null, unnamed = ' (account name unknown)'): Phrase {
  return account === null || account.trim() === '' ? [unnamed] : say` as ${strong(account)}`;
}
