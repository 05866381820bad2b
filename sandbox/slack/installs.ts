import type { Workspace } from './directory.ts';
import type { Ids } from './ids.ts';
import { limits } from './limits.ts';

/** What a person approved on the authorize page, until the app exchanges the code for it. */
export interface Approval {
  code: string;
  teamId: string;
  userId: string;
  scopes: string[];
  redirectUri: string | undefined;
  issuedAt: number;
  usedAt: number | undefined;
}

export type NewApproval = Pick<Approval, 'teamId' | 'userId' | 'scopes' | 'redirectUri'>;

/** Codes of the OAuth v2 install: single-use, valid for 10 minutes. */
export function makeInstalls({ now, ids }: { now: () => number; ids: Ids }) {
  const approvals = new Map<string, Approval>();
  const spent = new Set<string>();
  return {
    approve(approved: NewApproval): Approval {
      const approval: Approval = { code: ids.secret(), ...approved, issuedAt: now(), usedAt: undefined };
      approvals.set(approval.code, approval);
      return approval;
    },
    /** Redeems a code: returns its approval, or Slack's error code. */
    take(code: string): Approval | 'invalid_code' | 'code_already_used' {
      const approval = approvals.get(code);
      if (approval === undefined || now() - approval.issuedAt > limits.oauthCodeLifeMs) return 'invalid_code';
      if (approval.usedAt !== undefined) return 'code_already_used';
      approval.usedAt = now();
      return approval;
    },
    /** Grants the approved scopes to the token of these workspaces. Scopes add up across installs (docs: installing with OAuth). */
    install(workspaces: Workspace[], scopes: string[], rotate: boolean): void {
      const [first] = workspaces;
      if (first === undefined) return;
      const token = `xoxb-practice-${first.teamId}-${ids.secret()}`;
      for (const workspace of workspaces) {
        const wasRefused = workspace.tokenRefusal !== undefined;
        workspace.botScopes = [...new Set([...(wasRefused ? [] : workspace.botScopes), ...scopes])];
        if (wasRefused) Object.assign(workspace, { botToken: token, rotation: undefined });
        workspace.tokenRefusal = undefined;
      }
      if (rotate) issue(workspaces);
    },
    /**
     * Redeems a refresh token and gives its workspaces a new pair. Slack accepts a used one for a short unpublished time; this one does
     * not, so that a bot that depends on it is caught.
     * @returns the workspaces, or why it was refused
     */
    refresh(refreshToken: string, all: Iterable<Workspace>): Workspace[] | 'unknown' | 'used' {
      if (spent.has(refreshToken)) return 'used';
      const workspaces = [...all].filter(
        ({ rotation, tokenRefusal }) => rotation?.refreshToken === refreshToken && tokenRefusal === undefined,
      );
      if (workspaces.length === 0) return 'unknown';
      spent.add(refreshToken);
      issue(workspaces);
      return workspaces;
    },
    /** Returns whether a token of this workspace has expired. */
    hasExpired: ({ rotation }: Workspace, token: string): boolean =>
      rotation?.tokens.some((given) => given.token === token && given.expiresAt <= now()) ?? false,
  };

  /** Issues a new pair of tokens. The newest previous token stays valid until it expires: two can be valid at once. */
  function issue(workspaces: Workspace[]): void {
    const [first] = workspaces;
    if (first === undefined) return;
    const token = `xoxe.xoxb-practice-${first.teamId}-${ids.secret()}`;
    const expiresAt = now() + limits.rotatedTokenLifeSeconds * 1_000;
    const tokens = [{ token, expiresAt }, ...(first.rotation?.tokens ?? [])].slice(
      0,
      limits.liveRotatedTokens,
    );
    const rotation = { refreshToken: `xoxe-practice-${first.teamId}-${ids.secret()}`, tokens };
    for (const workspace of workspaces) Object.assign(workspace, { botToken: token, rotation });
  }
}
