/** What an admin filters a workspace's subscriptions by. */
export type WorkspaceFilter = {
  readonly state: 'all' | 'working' | 'paused' | 'problem';
  readonly ownerUserId: string | null;
  readonly channelId: string | null;
};

export const noWorkspaceFilter: WorkspaceFilter = { state: 'all', ownerUserId: null, channelId: null };
