import { z } from 'zod';
import type { TypedWhen } from './request.ts';

/** Who of a workspace's full members may have a channel follow something, and change or remove that. Admins always may. */
const subscribersSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('everyone') }),
  z.object({ kind: z.literal('admins') }),
  z.object({
    kind: z.literal('people'),
    userIds: z.array(z.string().regex(/^[UW][A-Z0-9]{1,30}$/)).readonly(),
  }),
]);

const deliverySchema: z.ZodType<TypedWhen> = z.discriminatedUnion('when', [
  z.object({ when: z.literal('live') }),
  z.object({ when: z.literal('hourly') }),
  z.object({
    when: z.literal('daily'),
    at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/),
    weekdays: z.literal(true).optional(),
  }),
]);

/** Without a shorter setting, what was posted can be listed again for so long. */
export const mostDetailsDays = 7;

/**
 * What the admins of a workspace chose for all of it. What is not stored is as in a new workspace; what is stored and cannot be read
 * lets as few people do something as may be, until an admin sets it again.
 */
export const settingsSchema = z.object({
  subscribers: subscribersSchema.default({ kind: 'everyone' }).catch({ kind: 'admins' }),
  /** Projects that may be followed, with what is in them; empty for all. Sessions are not limited by it. */
  projects: z
    .array(z.string().regex(/^\d{3}-\d{3}-\d{3}$/))
    .readonly()
    .default([]),
  /** Whether activity messages start with the sign of what happened. */
  signs: z.boolean().default(true),
  /** When new subscriptions post unless something else is asked for. */
  delivery: deliverySchema.catch({ when: 'live' }),
  /** Whether channels that are shared with other organizations can be subscribed, after a question, or never. */
  sharing: z.enum(['ask', 'never']).default('ask').catch('never'),
  /** Days after which names, paths and e-mails of posted events are forgotten: 7 at most. */
  detailsDays: z.int().min(1).max(mostDetailsDays).default(mostDetailsDays).catch(1),
});

export type Subscribers = z.output<typeof subscribersSchema>;
export type WorkspaceSettings = Readonly<z.output<typeof settingsSchema>>;

/** What a workspace has as long as no admin changes it. */
export const defaultSettings: WorkspaceSettings = settingsSchema.parse({});
