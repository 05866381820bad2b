import { z } from 'zod';
import { idSchema, whenSchema } from './request.ts';
import { isUserId } from './typed-text.ts';

/** Which full members of a workspace can subscribe a channel, and change or remove its subscriptions. Admins always can. */
const subscribersSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('everyone') }),
  z.object({ kind: z.literal('admins') }),
  z.object({ kind: z.literal('people'), userIds: z.array(z.string().refine(isUserId)).readonly() }),
]);

/** How many days posted events can be listed again, unless the admins set fewer. After that their details are removed. */
export const mostDetailsDays = 7;

/** Allows no project: the service numbers none like this. */
const noProject = '000-000-000';

/** What a workspace's admins chose. Missing settings get the defaults of a new workspace, unreadable ones the most restrictive value. */
export const settingsSchema = z.object({
  subscribers: subscribersSchema.default({ kind: 'everyone' }).catch({ kind: 'admins' }),
  /** Projects that can be followed, with their contents; empty for all. Does not restrict sessions. */
  projects: z.array(idSchema).readonly().default([]).catch([noProject]),
  /** Whether activity messages start with a sign for what happened. */
  signs: z.boolean().default(true).catch(true),
  /** When new subscriptions post unless the request says otherwise. */
  delivery: whenSchema.catch({ when: 'live' }),
  /** Whether channels shared with other organizations can be subscribed after a confirmation, or never. */
  sharing: z.enum(['ask', 'never']).default('ask').catch('never'),
  /** Days after which names, paths and email addresses of posted events are removed: 7 at most. */
  detailsDays: z.int().min(1).max(mostDetailsDays).default(mostDetailsDays).catch(1),
});

export type Subscribers = z.output<typeof subscribersSchema>;
export type WorkspaceSettings = Readonly<z.output<typeof settingsSchema>>;

/** The settings of a workspace until an admin changes them. */
export const defaultSettings: WorkspaceSettings = settingsSchema.parse({});
