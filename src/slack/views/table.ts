import { z } from 'zod';
import type { Asked } from '../../core/asked.ts';
import type { LinkCommands } from '../../core/link-commands.ts';
import type { SlackPerson } from '../../core/people.ts';
import { actionIds, blockIds, callbackIds } from '../../messages/action-ids.ts';
import { linkCodeErrors } from '../../messages/linking.ts';
import type { AskedFrom } from '../asked-from.ts';

/** A form that was sent. */
export type Submission = {
  readonly person: SlackPerson;
  readonly metadata: string;
  readonly values: Readonly<
    Record<string, Readonly<Record<string, { readonly value?: string | null | undefined }>>>
  >;
};

/** Errors by field, or null where the form may close. */
export type FieldErrors = Readonly<Record<string, string>> | null;

export type ViewDeps = { readonly askedFrom: AskedFrom; readonly links: LinkCommands };

const whereSchema = z.object({ channelId: z.string().nullable(), responseUrl: z.string().nullable() });
const nowhere = { channelId: null, responseUrl: null };

/** What each form does when it is sent, by its `callback_id`. */
export function viewTable({
  askedFrom,
  links,
}: ViewDeps): Readonly<Record<string, (sent: Submission) => Promise<FieldErrors>>> {
  const askedOf = ({ person, metadata }: Submission): Asked =>
    askedFrom({ person, ...whereSchema.catch(nowhere).parse(parseJson(metadata)) });

  return {
    [callbackIds.linkCode]: async (sent) => {
      const code = sent.values[blockIds.code]?.[actionIds.code]?.value ?? '';
      const fault = await links.codeForm(askedOf(sent), code);
      return fault && linkCodeErrors(fault);
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
