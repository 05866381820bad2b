import * as z from 'zod';

const name = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => !/[/\p{Cc}]/u.test(text), 'A name has no slash and no control character.');
const ref = z.string().min(1).max(400);
const id = z
  .string()
  .regex(/^[^/\s\p{Cc}]{1,200}$/u, 'An id has 1 to 200 characters, no slash and no space.')
  .optional();
const permission = z.enum(['none', 'read', 'write']);

/**
 * Everything a person can do at the practice service. `project` and `session` are an id (with or without hyphens) or a name, `item` and
 * `to` an id or names below the root folder (`Plans/Level 1`), `parent` the same with the root folder as default, `document` an id or a
 * name.
 */
export const practiceAction = z.discriminatedUnion('action', [
  z.object({ action: z.literal('create-project'), name, id }),
  z.object({ action: z.literal('rename-project'), project: ref, name }),
  z.object({ action: z.literal('delete-project'), project: ref }),
  z.object({ action: z.literal('create-folder'), project: ref, parent: ref.optional(), name, id }),
  z.object({ action: z.literal('create-file'), project: ref, parent: ref.optional(), name, id }),
  z.object({
    action: z.literal('add-files'),
    project: ref,
    parent: ref.optional(),
    count: z.int().min(1).max(100_000),
    /** The files are named `<prefix> <number>.<extension>`; numbering continues after the project's existing files. */
    prefix: name.optional(),
    /** Default: `pdf`. */
    extension: z
      .string()
      .regex(/^[a-z0-9]{1,5}$/)
      .optional(),
  }),
  z.object({ action: z.literal('rename-item'), project: ref, item: ref, name }),
  z.object({ action: z.literal('move-item'), project: ref, item: ref, to: ref.optional() }),
  z.object({ action: z.literal('check-in'), project: ref, item: ref }),
  z.object({ action: z.literal('delete-item'), project: ref, item: ref }),
  z.object({ action: z.literal('create-session'), name, id, expires: z.coerce.date().optional() }),
  z.object({ action: z.literal('rename-session'), session: ref, name }),
  z.object({ action: z.literal('change-expiry'), session: ref, expires: z.coerce.date() }),
  z.object({ action: z.literal('finalize-session'), session: ref }),
  z.object({ action: z.literal('delete-session'), session: ref }),
  z.object({ action: z.literal('add-document'), session: ref, name, id }),
  z.object({ action: z.literal('delete-document'), session: ref, document: ref }),
  z.object({
    action: z.literal('set-permission'),
    project: ref.optional(),
    session: ref.optional(),
    email: z.string(),
    permission,
  }),
  /** An event whose EventType (and ResourceType) the interface does not list. */
  z.object({
    action: z.literal('other-event'),
    project: ref.optional(),
    item: ref.optional(),
    session: ref.optional(),
    document: ref.optional(),
    eventType: z.string(),
    resourceType: z.string().optional(),
  }),
]);

export type PracticeAction = z.infer<typeof practiceAction>;
export type ActionOf<A extends PracticeAction['action']> = Extract<PracticeAction, { action: A }>;

/** What an action touched or created: id and name of the first object, and the ids of all. */
export type Acted = { id: string; name: string; ids: readonly string[] };
