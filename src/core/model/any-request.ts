import { z } from 'zod';
import {
  followedSchema,
  idSchema,
  itemIdSchema,
  type Request,
  requestSchema,
  subscribeSchema,
} from './request.ts';
import { settingsSchema } from './settings.ts';
import { isChannelId, isUserId } from './typed-text.ts';

/** Parses what an admin filters a workspace's subscriptions by. */
export const workspaceFilterSchema = z.object({
  state: z.enum(['all', 'working', 'paused', 'problem']),
  ownerUserId: z.string().refine(isUserId).nullable(),
  channelId: z.string().refine(isChannelId).nullable(),
});

export type WorkspaceFilter = Readonly<z.infer<typeof workspaceFilterSchema>>;

export const noWorkspaceFilter: WorkspaceFilter = { state: 'all', ownerUserId: null, channelId: null };

const id = z.uuid();
const page = z.int().min(0).max(1_000_000);
/** The number of a stored event. */
const seq = z.string().regex(/^\d{1,18}$/);

/** How many links of a message are looked at. */
export const mostLinks = 10;
const linkedSchema = z.union([
  followedSchema,
  z.object({ kind: z.literal('item'), projectId: idSchema, itemId: itemIdSchema }),
]);

/** Parses what is never typed, only pressed, chosen or filled in. Who may do it, and what it does, is in `src/core/acts/acts.ts`. */
const pressedSchema = z.discriminatedUnion('act', [
  z.object({
    act: z.enum([
      'pause',
      'resume',
      'take-over',
      'remove',
      'edit',
      'activity',
      'check',
      'repair-remote',
      'keep-volume',
    ]),
    /** Of a subscription. */
    id,
  }),
  z.object({
    act: z.literal('lower-volume'),
    /** Of a subscription that posts too much. */
    id,
    to: z.enum(['digest', 'digest-except-deleted']),
  }),
  z.object({ act: z.literal('show-again'), /** Of what is muted or hidden. */ id }),
  z.object({ act: z.literal('ask-admin'), /** What an admin is to allow. */ request: requestSchema }),
  z.object({ act: z.enum(['allow', 'decline']), /** Of what an admin is asked. */ id }),
  z.object({
    act: z.enum(['admin-pause', 'admin-resume', 'admin-remove']),
    /** One, or all listed. */ id: id.optional(),
  }),
  z.object({ act: z.enum(['mute-item', 'hide-person', 'follow-item', 'edit-shown']), seq }),
  /** Answers a question: what it asked about is done. `shared` and `agreed` are as in `SubscribeOptions`. */
  z.object({
    act: z.literal('answer'),
    request: requestSchema,
    shared: z.literal(true).optional(),
    agreed: z.literal(true).optional(),
  }),
  z.object({ act: z.literal('fill-form'), request: subscribeSchema }),
  z.object({
    act: z.literal('follow-links'),
    /** What the links lead to. */ targets: z.array(linkedSchema).max(mostLinks),
  }),
  /** The same in another conversation. */
  z.object({
    act: z.literal('in-channel'),
    channelId: z.string().regex(/^[CDG][A-Z0-9]{1,40}$/),
    request: requestSchema,
  }),
  z.object({ act: z.literal('undo-removal'), ids: z.array(id).readonly() }),
  z.object({
    act: z.literal('undo-change'),
    id,
    /** Of the change; empty for a new subscription. */
    key: z.string().max(200),
    /** When it was made, in milliseconds since 1970. */
    at: z.number(),
  }),
  z.object({ act: z.literal('show-in-shared'), all: z.boolean() }),
  z.object({ act: z.literal('list-page'), purpose: z.enum(['subscriptions', 'unsubscribe']), page }),
  z.object({ act: z.enum(['why-page', 'home']), page }),
  z.object({
    act: z.literal('show-all'),
    page,
    /** Whether the newest changes come first, if that changes. */
    newest: z.boolean().optional(),
  }),
  z.object({
    act: z.literal('workspace'),
    /** Without a page, the unfiltered list is shown from its start. */
    page: page.optional(),
    /** What changes in the filter. */
    set: z
      .union([
        workspaceFilterSchema.pick({ state: true }),
        workspaceFilterSchema.pick({ ownerUserId: true }),
        workspaceFilterSchema.pick({ channelId: true }),
      ])
      .optional(),
  }),
  z.object({ act: z.literal('audit'), /** Of an entry, to list older ones. */ before: seq.optional() }),
  z.object({ act: z.literal('save-settings'), settings: settingsSchema }),
  z.object({ act: z.literal('remove-channel'), channelId: z.string().refine(isChannelId) }),
  z.object({ act: z.literal('remove-person'), userId: z.string().refine(isUserId) }),
  z.object({
    act: z.enum([
      'open-form-anywhere',
      'catch-up',
      'remove-all',
      'unlink-now',
      'open-link',
      'enter-code',
      'why-message',
      'doctor-details',
      'repair-posting',
      'replay-dead',
      'remove-data',
      'dismiss',
    ]),
  }),
]);

/** Parses everything that a person can ask for. */
export const anyRequestSchema = z.union([requestSchema, pressedSchema]);

/** Whatever a person asks for: typed, pressed, chosen or filled in. The value of a button is one of these. */
export type AnyRequest = Request | Readonly<z.infer<typeof pressedSchema>>;

/** The name of what is asked for. */
export type Act = AnyRequest['act'];

/** A request for one act. */
export type RequestOf<A extends Act> = NarrowedTo<AnyRequest, A>;
type NarrowedTo<R, A> = R extends { readonly act: unknown }
  ? A extends R['act']
    ? R & { readonly act: A }
    : never
  : never;
