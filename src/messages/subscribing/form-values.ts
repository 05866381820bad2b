import type { Postable } from '../../core/model/may-post.ts';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import type { DayOfWeek, Delivery, EventType, TargetKind } from '../../core/model/subscription.ts';
import { blockIds } from '../text/action-ids.ts';

/** What a link or id refers to. `kind` is null for a bare id, which can be a project or a session. */
export type Reference = { readonly id: string; readonly kind: TargetKind | null };

/** The contents of the form's fields as entered; texts are not parsed yet. */
export type FormValues = {
  readonly channelId: string | null;
  readonly resource: string;
  /** What `resource` refers to; null until it can be parsed. */
  readonly reference: Reference | null;
  /** Null until the link or the person determines it. */
  readonly kind: TargetKind | null;
  /** The id of a folder chosen by name. */
  readonly folderId: string | null;
  /** The id of a folder, file or document, as typed. */
  readonly item: string;
  readonly comprehensive: boolean;
  readonly types: readonly EventType[];
  readonly when: Delivery['when'];
  /** `HH:MM`. */
  readonly at: string;
  readonly weekdays: boolean;
  /** Of a weekly digest. */
  readonly day: DayOfWeek;
  /** Whether deletions are posted right away instead of in the digest. */
  readonly exceptDeleted: boolean;
  /** Whether the fields below More options are shown. */
  readonly more: boolean;
  /** Globs of the folders chosen by name. */
  readonly folders: readonly string[];
  /** One per line; null if they are too long for a field, which is then not shown. */
  readonly paths: string | null;
  readonly by: FormPeople | null;
  readonly notBy: FormPeople | null;
  readonly threads: boolean;
  /** The name to show until the service sends one. */
  readonly name: string;
};

export type FormPeople = { readonly userIds: readonly string[]; readonly emails: string };

/** A new subscription, for a channel that is given or chosen in the form; or a change to an existing one. */
export type FormAbout =
  | { readonly act: 'follow'; readonly channelId: string | null }
  | { readonly act: 'change'; readonly channelId: string; readonly subscribed: Subscribed };

/** Why a field could not be parsed. */
export type FieldFault = {
  /** What was entered; null if nothing was. */
  readonly word: string | null;
  /** What is expected; follows "Enter" in a sentence. */
  readonly expected: string;
};

/** Fields that can have an error, by their `block_id`, in the order of the form. */
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

/** A folder of the project, known from posted events. */
export type KnownFolder = {
  readonly id: string;
  /** Folder names from the root down, the folder's own last. */
  readonly path: readonly string[];
  /** Whether only its own name is shown. */
  readonly isShort?: boolean | undefined;
};

/** What the form shows in addition to what was entered. */
export type FormHints = {
  /** Folders of the project, offered by name. */
  readonly folders: readonly KnownFolder[];
  /** Why the bot cannot post in the chosen channel; null if it can. */
  readonly obstacle: { readonly why: Exclude<Postable, 'yes'>; readonly botName: string } | null;
  /** The full command that does the same; null until the form is complete. */
  readonly asTyped: string | null;
};

export const noHints: FormHints = { folders: [], obstacle: null, asTyped: null };
