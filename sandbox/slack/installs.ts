import type { Workspace } from './directory.ts';
import type { Ids } from './ids.ts';
import { limits } from './limits.ts';

/** What a person approved on the authorize page, waiting for the app to fetch it with the code. */
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

/** Codes of the OAuth v2 install: each good once, for 10 minutes. */
export function makeInstalls({ now, ids }: { now: () => number; ids: Ids }) {
  const approvals = new Map<string, Approval>();
  return {
    approve(approved: NewApproval): Approval {
      const approval: Approval = { code: ids.secret(), ...approved, issuedAt: now(), usedAt: undefined };
      approvals.set(approval.code, approval);
      return approval;
    },
    /** The approval a code stands for, taken; or Slack's word for why there is none. */
    take(code: string): Approval | 'invalid_code' | 'code_already_used' {
      const approval = approvals.get(code);
      if (approval === undefined || now() - approval.issuedAt > limits.oauthCodeLifeMs) return 'invalid_code';
      if (approval.usedAt !== undefined) return 'code_already_used';
      approval.usedAt = now();
      return approval;
    },
    /** Makes the workspace's token good for what was approved. Scopes add up over installs (docs: installing with OAuth). */
    install(workspace: Workspace, scopes: string[]): void {
      const kept = workspace.tokenRefusal === undefined ? workspace.botScopes : [];
      workspace.botScopes = [...new Set([...kept, ...scopes])];
      if (workspace.tokenRefusal !== undefined)
        workspace.botToken = `xoxb-practice-${workspace.teamId}-${ids.secret()}`;
      workspace.tokenRefusal = undefined;
    },
  };
}
