import { z } from 'zod';
import { isChannelId, isUserId } from './typed-text.ts';

/** Parses what an admin filters a workspace's subscriptions by. */
export const workspaceFilterSchema = z.object({
  state: z.enum(['all', 'working', 'paused', 'problem']),
  ownerUserId: z.string().refine(isUserId).nullable(),
  channelId: z.string().refine(isChannelId).nullable(),
});

export type WorkspaceFilter = Readonly<z.infer<typeof workspaceFilterSchema>>;

export const noWorkspaceFilter: WorkspaceFilter = { state: 'all', ownerUserId: null, channelId: null };
