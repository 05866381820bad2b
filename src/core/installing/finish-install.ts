import type { Log } from '../../lib/log.ts';

/** How long an installation may take, in seconds. */
export const installSeconds = 600;

/** Where the bot was installed: a workspace, or an organization that then chooses its workspaces. */
export type Installed = {
  readonly kind: 'workspace' | 'organization';
  readonly id: string;
  readonly name: string | null;
  readonly appId: string | null;
  /** The admin who installed it. */
  readonly userId: string;
};

/** Why a state is rejected: not ours or altered, too old, from another browser, or already used. */
export type StateFault = 'unknown' | 'expired' | 'foreign' | 'used';

export type InstallFault = StateFault | 'no-code' | 'refused' | 'unavailable';

/** Slack's response to a code: where the bot is installed now, that the code is invalid, or no usable response. */
export type Exchange =
  | { readonly outcome: 'installed'; readonly installed: Installed }
  | { readonly outcome: 'refused' | 'unavailable'; readonly cause: unknown };

/** What happens at Slack when the bot is installed. The adapter in `src/slack/` implements it. */
export type Installer = {
  /** Returns the URL of Slack's approval page, with a state for the browser with this cookie. Stores nothing. */
  readonly approvalUrl: (browser: string) => Promise<string>;
  /** Marks a state as used. Returns null if it was valid. */
  readonly takeState: (state: string, browser: string | null) => Promise<StateFault | null>;
  /** Exchanges a code for the bot's tokens, and stores them. */
  readonly exchange: (code: string) => Promise<Exchange>;
};

/**
 * Finishes an installation. A cancellation is handled first: it changes nothing, so its state does not matter. The code is exchanged
 * only for a state that this browser was given, and only once, even if the URL is opened repeatedly or concurrently.
 * @param back the query string of Slack's redirect, and the browser's cookie; null if it has none
 */
export async function finishInstall(
  { takeState, exchange }: Installer,
  log: Pick<Log, 'info' | 'warn'>,
  { searchParams, browser }: { readonly searchParams: URLSearchParams; readonly browser: string | null },
): Promise<Installed | InstallFault | 'canceled'> {
  const error = searchParams.get('error');
  if (error === 'access_denied') return 'canceled';
  if (error !== null) return 'refused';
  const code = searchParams.get('code');
  const state = searchParams.get('state');
  if (!code || !state) return 'no-code';
  const fault = await takeState(state, browser);
  if (fault !== null) return fault;
  const exchanged = await exchange(code);
  if (exchanged.outcome !== 'installed') {
    log.warn({ err: exchanged.cause }, 'an installation failed');
    return exchanged.outcome;
  }
  const { kind, id, userId } = exchanged.installed;
  log.info({ [kind === 'workspace' ? 'team' : 'enterprise']: id, person: userId }, 'installed');
  return exchanged.installed;
}
