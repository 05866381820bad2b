import type { Postable } from '../../core/model/may-post.ts';
import type { Mistake } from '../../core/model/mistake.ts';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import type { Delivery, EventType, TargetKind } from '../../core/model/subscription.ts';
import { blockIds } from '../text/action-ids.ts';

/** What a link or id leads to; `kind` is null for a bare id, which can be a project or a session. */
export type Reference = { readonly id: string; readonly kind: TargetKind | null };

/** What is in the form's fields, as it was put there: texts are not understood yet. */
export type FormValues = {
  readonly channelId: string | null;
  readonly resource: string;
  /** What is in `resource`; null until it is understood. */
  readonly reference: Reference | null;
  /** Null until the link or the person says it. */
  readonly kind: TargetKind | null;
  /** The id of a folder that was chosen by its name. */
  readonly folderId: string | null;
  /** The id of a folder, file or document, as typed. */
  readonly item: string;
  readonly comprehensive: boolean;
  readonly types: readonly EventType[];
  readonly when: Delivery['when'];
  /** `HH:MM`. */
  readonly at: string;
  readonly weekdays: boolean;
  /** Deletions do not wait for the digest. */
  readonly exceptDeleted: boolean;
  /** Whether the fields below More options are shown. */
  readonly more: boolean;
  /** Globs of the folders that were chosen by their names. */
  readonly folders: readonly string[];
  /** One per line; null where they are too long for a field, which is then not there. */
  readonly paths: string | null;
  readonly by: FormPeople | null;
  readonly notBy: FormPeople | null;
  readonly threads: boolean;
  /** The name to show until the service sends one. */
  readonly name: string;
  /** Wanted although a wider subscription covers it. */
  readonly anyway: boolean;
};

/** What the form keeps where a field is not shown at the moment, so that nothing is lost that was put there. */
export type KeptValues = Pick<
  FormValues,
  'more' | 'comprehensive' | 'folderId' | 'item' | 'at' | 'weekdays' | 'exceptDeleted'
>;

export type FormPeople = { readonly userIds: readonly string[]; readonly emails: string };

/** A new subscription, of a channel that is given or chosen in the form; or a change of one that is there. */
export type FormAbout =
  | { readonly act: 'follow'; readonly channelId: string | null }
  | { readonly act: 'change'; readonly channelId: string; readonly subscribed: Subscribed };

/** Why a field was not understood. */
export type FieldFault = Pick<Mistake, 'word' | 'expected' | 'meant'>;

/** Fields that can be at fault, by their `block_id`, in the order of the form. */
export const faultyFields = [
  blockIds.formChannel,
  blockIds.formResource,
  blockIds.formKind,
  blockIds.formFolder,
  blockIds.formItem,
  blockIds.formPaths,
  blockIds.formByEmails,
  blockIds.formNotByEmails,
  blockIds.formName,
] as const;

export type FormField = (typeof faultyFields)[number];

export type FormFaults = Readonly<Partial<Record<FormField, FieldFault | undefined>>>;

/** A folder of the project, known from what was posted. */
export type KnownFolder = {
  readonly id: string;
  /** Folder names from the root down, the folder's own last. */
  readonly path: readonly string[];
};

/** What the form shows that nobody typed. */
export type FormHints = {
  /** Folders of the project, offered by name. */
  readonly folders: readonly KnownFolder[];
  /** Why the bot cannot post in the chosen channel, where it cannot. */
  readonly obstacle: { readonly why: Exclude<Postable, 'yes'>; readonly botName: string } | null;
  /** A wider subscription that the channel has already. */
  readonly covering: Subscribed | null;
  /** The whole command that does the same; null until something can be subscribed to. */
  readonly asTyped: string | null;
};

export const noHints: FormHints = { folders: [], obstacle: null, covering: null, asTyped: null };
