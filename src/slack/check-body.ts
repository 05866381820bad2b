import { z } from 'zod';

/** `cause` says which field is missing or wrong, never what was in it. `type` is Slack's word. */
type BodyCheck =
  | { readonly kind: 'readable' }
  | { readonly kind: 'unknown type'; readonly type: string }
  | { readonly kind: 'unreadable'; readonly cause: string };

const id = z.string().min(1);
const text = z.string().optional();
const object = z.object({});
/** In some events an id, in others an object that has one. */
const named = z.union([z.string(), object]).optional();

const command = z.object({
  command: id,
  team_id: id,
  user_id: id,
  channel_id: id,
  text,
  enterprise_id: text,
  response_url: text,
  trigger_id: text,
});

const event = z
  .object({
    event: z.object({ type: id, channel: named, user: named, item: object.optional() }),
    // In seconds. Neither a date nor Postgres can hold the largest numbers that JSON can.
    event_time: z.number().min(0).max(1e11).optional(),
    team_id: id.nullish(),
    authorizations: z.array(z.object({ team_id: z.string().nullish() })).nullish(),
  })
  .refine(({ team_id, authorizations }) => team_id ?? authorizations?.[0]?.team_id, { path: ['team_id'] });

const interaction = z.object({
  user: z.object({ id, team_id: text }),
  team: z.object({ id }).nullish(),
  enterprise: z.object({ id }).nullish(),
  channel: z.object({ id: text }).optional(),
  container: object.nullish(),
  response_url: text,
  trigger_id: text,
});
const view = z.object({ id, callback_id: z.string(), private_metadata: z.string(), hash: text });
const state = z.object({ values: z.record(z.string(), z.record(z.string(), object)) });

/** The interactions that the bot handles. */
const interactions: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  [
    'block_actions',
    interaction.extend({
      actions: z.array(z.object({ action_id: text, block_id: text })).min(1),
      view: view.extend({ type: id, state: state.nullish() }).nullish(),
    }),
  ],
  ['view_submission', interaction.extend({ view: view.extend({ state }) })],
  ['block_suggestion', interaction.extend({ action_id: id, value: text, view: view.nullish() })],
  ['shortcut', interaction.extend({ callback_id: id })],
  ['message_action', interaction.extend({ callback_id: id, message: object, message_ts: id })],
]);

/**
 * Checks whether the body of a request has what Bolt and the handlers cannot do without. Both would fail on any other, and Slack would
 * send it again as if the bot were broken.
 */
export function checkBody(body: unknown): BodyCheck {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return unreadable('not an object');
  if ('command' in body) return checkedBy(command, body);
  const type = 'type' in body ? body.type : undefined;
  if ('event' in body || type === 'event_callback') return checkedBy(event, body);
  if (typeof type !== 'string') return unreadable('type');
  const schema = interactions.get(type);
  return schema ? checkedBy(schema, body) : { kind: 'unknown type', type };
}

function checkedBy(schema: z.ZodType, body: object): BodyCheck {
  const { error } = schema.safeParse(body);
  const [issue] = error?.issues ?? [];
  return issue ? unreadable(issue.path.join('.')) : { kind: 'readable' };
}

function unreadable(cause: string): BodyCheck {
  return { kind: 'unreadable', cause };
}
