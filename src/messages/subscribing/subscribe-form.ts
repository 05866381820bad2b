import type { InputBlock, KnownBlock, ModalView, PlainTextOption } from '@slack/types';
import type { Mistake } from '../../core/model/commands.ts';
import type { Postable } from '../../core/model/may-post.ts';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import type { Delivery, EventType, TargetKind } from '../../core/model/subscription.ts';
import { actionIds, blockIds, callbackIds } from '../text/action-ids.ts';
import { describeSettings, describeTarget, type Settings } from '../text/copy.ts';
import { cutEnd } from '../text/escape.ts';
import { limits } from '../text/limits.ts';
import { button, context, plainText, section } from '../text/message.ts';
import {
  channel,
  counted,
  inPlain,
  joined,
  type Phrase,
  plainly,
  quoted,
  sentence,
  strong,
  typed,
} from '../text/phrase.ts';
import { whyNotPostable } from './answers.ts';

/** What is in the form's fields, as it was put there: texts are not understood yet. */
export type FormValues = {
  readonly channelId: string | null;
  /** Null where the link is to say it. */
  readonly kind: TargetKind | null;
  readonly resource: string;
  readonly item: string;
  readonly comprehensive: boolean;
  readonly types: readonly EventType[];
  /** One a line; null where they are too long for a field, which is then not there. */
  readonly paths: string | null;
  readonly by: FormPeople | null;
  readonly notBy: FormPeople | null;
  readonly when: Delivery['when'];
  /** `HH:MM`. */
  readonly at: string;
  readonly threads: boolean;
  /** Wanted although something wider is followed already. */
  readonly anyway: boolean;
};

export type FormPeople = { readonly userIds: readonly string[]; readonly emails: string };

/** A new subscription, of a channel that is given or chosen in the form; or a change of one that is there. */
export type FormAbout =
  | { readonly act: 'follow'; readonly channelId: string | null }
  | { readonly act: 'change'; readonly channelId: string; readonly subscribed: Subscribed };

/** Why a field was not understood. */
export type FieldFault = Pick<Mistake, 'word' | 'expected' | 'meant'>;

/** Fields that can be at fault, by their `block_id`. */
export type FormField = (typeof faultyFields)[number];

export const faultyFields = [
  blockIds.formChannel,
  blockIds.formKind,
  blockIds.formResource,
  blockIds.formItem,
  blockIds.formPaths,
  blockIds.formByEmails,
  blockIds.formNotByEmails,
] as const;

export type FormFaults = Readonly<Partial<Record<FormField, FieldFault | undefined>>>;

/** How many of the last events of the resource would have been posted. */
export type History = { readonly of: number; readonly posted: number };

/** What the form tells about what is in it. */
export type FormPreview = {
  /** What is followed and how; null until that is known. */
  readonly told: {
    readonly subscribed: Subscribed;
    readonly settings: Settings;
    /** Null where nobody can look. */
    readonly history: History | null;
    /** The whole command that does the same. */
    readonly asTyped: string;
  } | null;
  /** A field that is not understood so far. What was expected is told at the field, once the form is sent. */
  readonly fault: { readonly field: FormField; readonly word: string } | null;
  /** Why the bot cannot post in that channel, where it cannot. */
  readonly obstacle: { readonly why: Exclude<Postable, 'yes'>; readonly botName: string } | null;
  /** Something wider that the channel follows already. */
  readonly covering: Subscribed | null;
};

export const nothingToPreview: FormPreview = { told: null, fault: null, obstacle: null, covering: null };

/**
 * The form that subscribes a channel, or changes how it follows something. Shown again with other values it keeps what was typed,
 * since its fields keep their ids (Slack, updating modals).
 *
 * @param form `zone`: whose clock times are on; `metadata` comes back with the form
 * @throws RangeError where `metadata` is longer than Slack takes
 */
export function subscribeForm(form: {
  readonly about: FormAbout;
  readonly values: FormValues;
  readonly zone: string;
  readonly preview: FormPreview;
  readonly metadata: string;
}): ModalView {
  const { about, values, zone, preview, metadata } = form;
  if (metadata.length > limits.privateMetadata) throw new RangeError('The metadata of the form is too long');
  const isChange = about.act === 'change';
  return {
    type: 'modal',
    callback_id: callbackIds.subscribe,
    private_metadata: metadata,
    title: plainText(isChange ? 'Change what is told' : 'Follow a plan', limits.modalTitle),
    submit: plainText(isChange ? 'Save' : 'Follow', limits.modalButton),
    close: plainText('Cancel', limits.modalButton),
    blocks: [
      ...headOf(about, values),
      ...(isChange ? [] : targetFields(values)),
      ...(isAlone(targetKindOf(form)) ? [] : [extentField(values)]),
      typesField(values),
      ...pathsField(values),
      ...peopleFields(values),
      whenField(values),
      ...(values.when === 'daily' ? [atField(values, zone)] : []),
      threadsField(values),
      ...(preview.covering === null ? [] : coveringFields(preview.covering, values)),
      { type: 'divider' },
      ...previewBlocks(preview, values),
    ],
  };
}

/** What was wrong, by the field it belongs to (Slack: response_action "errors"). What belongs to a field that is not shown yet is told beside it. */
export function formErrors(faults: FormFaults, shown: readonly string[]): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const field of faultyFields) {
    const fault = faults[field];
    if (!fault) continue;
    const place = shown.includes(field) ? field : blockIds.formResource;
    errors[place] ??= cutEnd(inPlain(faultWords(fault)), limits.fieldError);
  }
  return errors;
}

function faultWords({ word, expected, meant }: FieldFault): Phrase {
  return [
    ...(word === null ? ['Something is missing'] : ['I do not understand ', quoted(word)]),
    '. I expected ',
    sentence(expected),
    '.',
    ...(meant === undefined ? [] : [' Did you mean ', quoted(meant), '?']),
  ];
}

function targetKindOf({ about, values }: { about: FormAbout; values: FormValues }): TargetKind | null {
  return about.act === 'change' ? about.subscribed.target.kind : values.kind;
}

/** Folders, files and documents have nothing in them that could be followed along. */
function isAlone(kind: TargetKind | null): boolean {
  return kind === 'folder' || kind === 'file' || kind === 'document';
}

const channelLabel = 'Channel';

function headOf(about: FormAbout, values: FormValues): KnownBlock[] {
  if (about.act === 'change') {
    return [
      section([['How ', channel(about.channelId), ' follows ', ...describeTarget(about.subscribed), ':']]),
    ];
  }
  if (about.channelId !== null) return [section([['For ', channel(about.channelId), ':']])];
  return [
    input(blockIds.formChannel, {
      label: channelLabel,
      hint: 'Everybody in it can then read the news. You have to be in it yourself.',
      dispatches: true,
      element: {
        type: 'conversations_select',
        action_id: actionIds.formChannel,
        filter: { include: ['public', 'private'], exclude_bot_users: true },
        response_url_enabled: true,
        placeholder: plainText('Choose a channel', limits.placeholder),
        ...(values.channelId === null ? {} : { initial_conversation: values.channelId }),
      },
    }),
  ];
}

const kindLabels: Readonly<Record<TargetKind, string>> = {
  project: 'A project',
  folder: 'A folder of a project',
  file: 'A file of a project',
  session: 'A session',
  document: 'A document of a session',
};
const kindOptions = optionsOf(kindLabels);
const kindLabel = 'What to follow';

function targetFields(values: FormValues): KnownBlock[] {
  const { kind } = values;
  return [
    input(blockIds.formKind, {
      label: kindLabel,
      hint: 'Where you give a link, it may say this by itself.',
      optional: true,
      dispatches: true,
      element: {
        type: 'static_select',
        action_id: actionIds.formKind,
        placeholder: plainText('Choose, or let the link say it', limits.placeholder),
        options: kindOptions,
        ...initialOption(kindOptions, kind),
      },
    }),
    input(blockIds.formResource, {
      label: resourceLabel(values),
      hint: 'Any link with its 9-digit id in it, or the id itself, such as 123-456-789.',
      dispatches: true,
      element: {
        type: 'plain_text_input',
        action_id: actionIds.formResource,
        max_length: limits.inputText,
        ...initialText(values.resource),
      },
    }),
    ...(kind !== null && isAlone(kind) ? [itemField(kind, values)] : []),
  ];
}

function resourceLabel({ kind }: FormValues): string {
  const holder = kind === 'session' || kind === 'document' ? 'session' : 'project';
  return kind === null ? 'Link or id' : `Link or id of the ${holder}`;
}

function itemLabel(kind: TargetKind): string {
  return `Id of the ${kind}`;
}

function itemField(kind: TargetKind, values: FormValues): InputBlock {
  return input(blockIds.formItem, {
    label: itemLabel(kind),
    dispatches: true,
    element: {
      type: 'plain_text_input',
      action_id: actionIds.formItem,
      max_length: limits.inputText,
      ...initialText(values.item),
    },
  });
}

const extents = { comprehensive: 'It and everything in it', plain: 'It alone' } as const;
const extentOptions = optionsOf(extents);

function extentField({ comprehensive }: FormValues): InputBlock {
  return input(blockIds.formExtent, {
    label: 'How much of it',
    dispatches: true,
    element: {
      type: 'radio_buttons',
      action_id: actionIds.formExtent,
      options: extentOptions,
      ...initialOption(extentOptions, comprehensive ? 'comprehensive' : 'plain'),
    },
  });
}

const typeLabels: Readonly<Record<EventType, string>> = {
  create: 'What is added',
  update: 'What is changed',
  delete: 'What is deleted',
};
const typeOptions = optionsOf(typeLabels);

function typesField({ types }: FormValues): InputBlock {
  const ticked = typeOptions.filter(({ value }) => types.some((type) => type === value));
  return input(blockIds.formTypes, {
    label: 'What to tell',
    dispatches: true,
    element: {
      type: 'checkboxes',
      action_id: actionIds.formTypes,
      options: typeOptions,
      ...(ticked.length === 0 ? {} : { initial_options: ticked }),
    },
  });
}

const pathsLabel = 'Only from these folders';

function pathsField({ paths }: FormValues): KnownBlock[] {
  if (paths === null) return [tooLong('The folders')];
  return [
    input(blockIds.formPaths, {
      label: pathsLabel,
      hint: 'One a line, such as Plans/Level 1/**. A leading ! leaves out. Nothing here: everything.',
      optional: true,
      element: {
        type: 'plain_text_input',
        action_id: actionIds.formPaths,
        multiline: true,
        max_length: limits.inputText,
        ...initialText(paths),
      },
    }),
  ];
}

const byLabel = 'Only what these people do';
const notByLabel = 'Nothing that these people do';
const byEmail = (label: string) => `${label}, by e-mail`;

function peopleFields({ by, notBy }: FormValues): KnownBlock[] {
  return [
    ...peopleField(by, {
      users: { blockId: blockIds.formByUsers, actionId: actionIds.formByUsers },
      emails: { blockId: blockIds.formByEmails, actionId: actionIds.formByEmails },
      label: byLabel,
      missing: 'The people whose changes are told',
    }),
    ...peopleField(notBy, {
      users: { blockId: blockIds.formNotByUsers, actionId: actionIds.formNotByUsers },
      emails: { blockId: blockIds.formNotByEmails, actionId: actionIds.formNotByEmails },
      label: notByLabel,
      missing: 'The people whose changes are left out',
    }),
  ];
}

type PeopleWords = {
  readonly users: { readonly blockId: string; readonly actionId: string };
  readonly emails: { readonly blockId: string; readonly actionId: string };
  readonly label: string;
  /** In place of the fields. */
  readonly missing: string;
};

function peopleField(people: FormPeople | null, words: PeopleWords): KnownBlock[] {
  if (people === null) return [tooLong(words.missing)];
  return [
    input(words.users.blockId, {
      label: words.label,
      optional: true,
      dispatches: true,
      element: {
        type: 'multi_users_select',
        action_id: words.users.actionId,
        placeholder: plainText('Choose people', limits.placeholder),
        ...(people.userIds.length === 0 ? {} : { initial_users: [...people.userIds] }),
      },
    }),
    input(words.emails.blockId, {
      label: byEmail(words.label),
      hint: 'The addresses they have at the service, with spaces between.',
      optional: true,
      dispatches: true,
      element: {
        type: 'plain_text_input',
        action_id: words.emails.actionId,
        max_length: limits.inputText,
        ...initialText(people.emails),
      },
    }),
  ];
}

function tooLong(what: string): KnownBlock {
  return context([`${what} are too many for a field here, and stay as they are.`]);
}

const whenLabels: Readonly<Record<Delivery['when'], string>> = {
  live: 'As it happens',
  hourly: 'In one message an hour',
  daily: 'In one message a day',
};
const whenOptions = optionsOf(whenLabels);

function whenField({ when }: FormValues): InputBlock {
  return input(blockIds.formWhen, {
    label: 'When to tell',
    dispatches: true,
    element: {
      type: 'static_select',
      action_id: actionIds.formWhen,
      options: whenOptions,
      ...initialOption(whenOptions, when),
    },
  });
}

function atField({ at }: FormValues, zone: string): InputBlock {
  return input(blockIds.formAt, {
    label: 'At what time',
    hint: inPlain(['By the clock of your Slack profile, ', plainly(zone), '.']),
    dispatches: true,
    element: { type: 'timepicker', action_id: actionIds.formAt, initial_time: at },
  });
}

const threadOptions = optionsOf({ on: 'Put later news of an item into its thread' });

function threadsField({ threads }: FormValues): InputBlock {
  return input(blockIds.formThreads, {
    label: 'Threads',
    optional: true,
    dispatches: true,
    element: {
      type: 'checkboxes',
      action_id: actionIds.formThreads,
      options: threadOptions,
      ...(threads ? { initial_options: threadOptions } : {}),
    },
  });
}

const anywayOptions = optionsOf({ anyway: 'Follow this as well; what both tell is posted once' });

function coveringFields(covering: Subscribed, { anyway }: FormValues): KnownBlock[] {
  return [
    section([['The channel already follows ', ...describeTarget(covering), ', which covers this.']]),
    input(blockIds.formAnyway, {
      label: 'Covered already',
      optional: true,
      element: {
        type: 'checkboxes',
        action_id: actionIds.formAnyway,
        options: anywayOptions,
        ...(anyway ? { initial_options: anywayOptions } : {}),
      },
    }),
  ];
}

function previewBlocks({ told, fault, obstacle }: FormPreview, values: FormValues): KnownBlock[] {
  const lines: Phrase[] = [];
  if (obstacle !== null) lines.push(whyNotPostable(obstacle, 'form'));
  if (fault !== null) lines.push(faultyWords(fault, values));
  if (told !== null) lines.push(joined([[...describeSettings(told.settings), '.'], historyWords(told)], ' '));
  if (lines.length === 0) lines.push(['Say what to follow, and I tell here what would be posted.']);
  const again = button({ actionId: actionIds.formPreview, label: 'Show what would be posted' });
  const isTypable = told !== null && told.asTyped.length <= limits.path;
  return [
    section(lines),
    ...(isTypable ? [context(['The same as typing ', typed(told.asTyped)])] : []),
    { type: 'actions', elements: [again] },
  ];
}

function faultyWords({ field, word }: NonNullable<FormPreview['fault']>, values: FormValues): Phrase {
  return [strong(labelOf(field, values)), ': ', quoted(word), ' is not understood yet.'];
}

function labelOf(field: FormField, values: FormValues): string {
  switch (field) {
    case blockIds.formChannel:
      return channelLabel;
    case blockIds.formKind:
      return kindLabel;
    case blockIds.formResource:
      return resourceLabel(values);
    case blockIds.formItem:
      return values.kind === null ? resourceLabel(values) : itemLabel(values.kind);
    case blockIds.formPaths:
      return pathsLabel;
    case blockIds.formByEmails:
      return byEmail(byLabel);
    case blockIds.formNotByEmails:
      return byEmail(notByLabel);
  }
}

const followedWords: Readonly<Record<TargetKind, string>> = {
  project: 'this project',
  folder: 'this folder',
  file: 'this file',
  session: 'this session',
  document: 'this document',
};

function historyWords({ history, subscribed }: NonNullable<FormPreview['told']>): Phrase {
  const what = followedWords[subscribed.target.kind];
  if (history === null) return ['I cannot say now how many messages that makes.'];
  const { of, posted } = history;
  if (of === 0) return [`I have no events of ${what} yet by which to say how much that is.`];
  if (of === 1) return [`The last event of ${what} would ${posted === 0 ? 'not ' : ''}have been posted.`];
  const share = posted === 0 ? 'none' : posted === of ? 'all' : posted.toLocaleString('en');
  return [`Of the last ${counted(of, 'event')} of ${what} ${share} would have been posted.`];
}

type Field = {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly optional?: boolean | undefined;
  /** Tells the bot of each change, so that what the form tells can follow. */
  readonly dispatches?: boolean | undefined;
  readonly element: InputBlock['element'];
};

function input(blockId: string, { label, hint, optional, dispatches, element }: Field): InputBlock {
  return {
    type: 'input',
    block_id: blockId,
    label: plainText(label, limits.inputLabel),
    ...(hint === undefined ? {} : { hint: plainText(hint, limits.inputHint) }),
    ...(optional ? { optional } : {}),
    ...(dispatches ? { dispatch_action: true } : {}),
    element,
  };
}

function optionsOf(labels: Readonly<Record<string, string>>): PlainTextOption[] {
  return Object.entries(labels).map(([value, label]) => ({
    text: plainText(label, limits.optionText),
    value,
  }));
}

function initialOption(options: readonly PlainTextOption[], value: string | null) {
  const found = options.find((option) => option.value === value);
  return found ? { initial_option: found } : {};
}

function initialText(text: string) {
  return text === '' ? {} : { initial_value: text };
}
