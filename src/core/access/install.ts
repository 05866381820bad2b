import type { Log } from '../../lib/log.ts';
/** Where the bot was installed: a workspace, or an organization, which then chooses its workspaces. */
export type Installed = {
  readonly kind: 'workspace' | 'organization';
  readonly id: string;
  readonly name: string | null;
  readonly appId: string | null;
  /** The admin who installed it. */
  readonly userId: string;
};

/** Why a state does not count: not ours or changed on the way, too old, of another browser, or used before. */
export type StateFault = 'unknown' | 'expired' | 'foreign' | 'used';

export type InstallFault = StateFault | 'no-code' | 'refused' | 'unavailable';

/** What came of an installation when Slack has sent the browser back. */
type InstallFinished =
  | { readonly outcome: 'installed'; readonly installed: Installed }
  | { readonly outcome: 'canceled' }
  | { readonly outcome: 'refused'; readonly fault: InstallFault };

/** What Slack says of a code: where the bot is installed now, that the code is not good, or nothing at all. */
export type Exchange =
  | { readonly outcome: 'installed'; readonly installed: Installed }
  | { readonly outcome: 'refused' | 'unavailable'; readonly cause: unknown };

export type FinishInstall = (back: {
  /** The query with which Slack sent the browser back. */
  readonly searchParams: URLSearchParams;
  /** The browser's cookie; null where it has none. */
  readonly browser: string | null;
}) => Promise<InstallFinished>;

export type FinishInstallDeps = {
  /** Uses a state up; null where it was good. */
  readonly takeState: (state: string, browser: string | null) => Promise<StateFault | null>;
  /** Exchanges a code for the bot's tokens, and keeps them. */
  readonly exchange: (code: string) => Promise<Exchange>;
  readonly log: Pick<Log, 'info' | 'warn'>;
};

/**
 * Finishes an installation. A cancel comes first: it changes nothing, so its state does not matter. The code is exchanged only for a
 * state that this browser was given, and once, however often and at the same time the address is opened.
 */
export function makeFinishInstall({ takeState, exchange, log }: FinishInstallDeps): FinishInstall {
  return async ({ searchParams, browser }) => {
    const error = searchParams.get('error');
    if (error === 'access_denied') return { outcome: 'canceled' };
    if (error !== null) return refused('refused');
    const code = searchParams.get('code');
    const state = searchParams.get('state');
    if (!code || !state) return refused('no-code');
    const fault = await takeState(state, browser);
    if (fault !== null) return refused(fault);
    const exchanged = await exchange(code);
    if (exchanged.outcome !== 'installed') {
      log.warn({ err: exchanged.cause }, 'an installation failed');
      return refused(exchanged.outcome);
    }
    const { installed } = exchanged;
    log.info(
      installed.kind === 'workspace'
        ? { team: installed.id, person: installed.userId }
        : { enterprise: installed.id, person: installed.userId },
      'installed',
    );
    return exchanged;
  };
}

function refused(fault: InstallFault): InstallFinished {
  return { outcome: 'refused', fault };
}
