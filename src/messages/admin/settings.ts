import type { InputBlock, ModalView, PlainTextOption } from '@slack/types';
import type { AuditDetail } from '../../core/model/log-fields.ts';
import type { TypedWhen } from '../../core/model/request.ts';
import {
  defaultSettings,
  mostDetailsDays,
  type Subscribers,
  type WorkspaceSettings,
} from '../../core/model/settings.ts';
import { readNineDigits } from '../../core/model/typed-text.ts';
import { type Who, whoIs } from '../text/copy.ts';
import { limits } from '../text/limits.ts';
import { context, type Message, messageOf, notice, plainText, requestButton } from '../text/message.ts';
import {
  actionIds,
  blockIds,
  callbackIds,
  checkboxes,
  chosenIn,
  type FieldElement,
  type FieldOf,
  input,
  modal,
  option,
  optionsOf,
  radioButtons,
  select,
  textField,
} from '../text/modal.ts';
import { counted, inPlain, joined, type Phrase, plainly, quoted, say, strong } from '../text/phrase.ts';

/** A setting with a few possible values: its field in the form, and its words in the list of settings. */
type SettingRow<Value> = {
  /** The id of the block and of its action. Older releases use the same ids. */
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  /** Makes the field, with the choice of that name selected. */
  readonly element: (options: PlainTextOption[], name: string) => FieldElement;
  /** Whether nothing chosen is a choice too. */
  readonly optional?: true;
  readonly choices: readonly { readonly name: string; readonly label: string; readonly value: Value }[];
  /** Returns the name of the choice for a value. */
  readonly nameOf: (value: Value) => string;
  /** Replaces the label in the list of settings. */
  readonly title?: string | undefined;
  readonly inWords?: ((value: Value) => string) | undefined;
};

type ChosenSettings = Omit<WorkspaceSettings, 'subscribers' | 'projects'>;
type SettingName = keyof ChosenSettings;

/** Every setting that is a single choice, in the order of the form. */
const rows: { readonly [Name in SettingName]: SettingRow<WorkspaceSettings[Name]> } = {
  signs: {
    id: 'settings_signs',
    label: 'Activity messages',
    hint: 'Without icons, the text stays the same.',
    element: (options, name) => checkboxes(options, [name]),
    optional: true,
    choices: [{ name: 'signs', label: 'Show icons (➕ 🔁 🗑️)', value: true }],
    nameOf: (signs) => (signs ? 'signs' : ''),
    title: 'Icons in activity messages',
    inWords: (signs) => (signs ? 'on' : 'off'),
  },
  delivery: {
    id: 'settings_delivery',
    label: 'Delivery of new subscriptions',
    hint: 'Used unless the person who subscribes chooses otherwise. Digests use that person’s time zone.',
    element: select,
    // Only one time of day, since people in different time zones use it.
    choices: [
      { name: 'live', label: 'As changes happen', value: { when: 'live' } },
      { name: 'hourly', label: 'Hourly digest', value: { when: 'hourly' } },
      { name: 'daily', label: 'Daily digest at 9:00', value: { when: 'daily', at: '09:00' } },
      {
        name: 'weekdays',
        label: 'Daily digest at 9:00, Monday to Friday',
        value: { when: 'daily', at: '09:00', weekdays: true },
      },
    ],
    nameOf: (delivery: TypedWhen) =>
      delivery.when === 'daily' && delivery.weekdays ? 'weekdays' : delivery.when,
  },
  sharing: {
    id: 'settings_sharing',
    label: 'Channels shared with other organizations',
    hint: 'Names and paths are shortened there until a member shows everything.',
    element: radioButtons,
    choices: [
      { name: 'ask', label: 'Ask first', value: 'ask' },
      { name: 'never', label: 'Don’t allow new subscriptions', value: 'never' },
    ],
    nameOf: (sharing) => sharing,
  },
  detailsDays: {
    id: 'settings_details',
    label: 'Keep the details of posted changes',
    hint: 'File names, paths and emails. After that, “Show all” and /plancast why can’t list them; messages in Slack stay.',
    element: select,
    choices: [mostDetailsDays, 3, 1].map((days) => ({
      name: String(days),
      label: counted(days, 'day'),
      value: days,
    })),
    nameOf: String,
    title: 'Details of posted changes',
    inWords: (days) => `kept for ${counted(days, 'day')}`,
  },
};

const names = Object.keys(rows) as readonly SettingName[];

/** The ids of all fields. */
export const settingIds: readonly string[] = names.map((name) => rows[name].id);

/** Makes the fields of the form. */
function settingFields(settings: WorkspaceSettings): InputBlock[] {
  return names.map((name) => fieldOf(name, settings));
}

/** Returns the title of each setting, and its words. */
function settingWords(settings: WorkspaceSettings): (readonly [title: string, words: Phrase])[] {
  return names.map((name) => wordsOf(name, settings));
}

/** Reads the chosen settings. Falls back to the default if an option is unknown. */
function readSettings(fieldOf: FieldOf): ChosenSettings {
  const read = <Name extends SettingName>(name: Name) => {
    const { id, optional, choices } = rows[name];
    const chosen = choices.find((each) => chosenIn(fieldOf(id)).includes(each.name));
    const otherwise = optional ? false : defaultSettings[name];
    return [name, chosen?.value ?? otherwise] as const;
  };
  return Object.fromEntries(names.map(read)) as ChosenSettings;
}

function fieldOf<Name extends SettingName>(setting: Name, settings: WorkspaceSettings): InputBlock {
  const row: SettingRow<WorkspaceSettings[Name]> = rows[setting];
  const { id, label, hint, optional } = row;
  const options = row.choices.map((each) => option(each.name, each.label));
  return input(id, { label, hint, optional, element: row.element(options, row.nameOf(settings[setting])) });
}

function wordsOf<Name extends SettingName>(setting: Name, settings: WorkspaceSettings) {
  const row: SettingRow<WorkspaceSettings[Name]> = rows[setting];
  const value = settings[setting];
  const label = row.choices.find(({ name }) => name === row.nameOf(value))?.label ?? '';
  const words = row.inWords?.(value) ?? label.charAt(0).toLowerCase() + label.slice(1);
  return [row.title ?? row.label, [words]] as const;
}

/** The most ids that fit into the field, one per line. */
export const mostProjects = 200;

const choices: Record<Subscribers['kind'], string> = {
  everyone: 'All full members, in channels they’re in',
  admins: 'Workspace admins only',
  people: 'Workspace admins and the people below',
};

const people = { most: 100 };

/** Makes the form for the workspace's settings. `metadata` comes back with it. */
export function settingsForm(settings: WorkspaceSettings, metadata: string): ModalView {
  const { subscribers, projects } = settings;
  const whoOptions = optionsOf(choices);
  const userIds = subscribers.kind === 'people' ? subscribers.userIds.slice(0, people.most) : [];
  const typed = projects.slice(0, mostProjects).join('\n');
  return modal({
    callbackId: callbackIds.settings,
    metadata,
    title: 'Settings',
    submit: 'Save',
    blocks: [
      input(actionIds.settingsWho, {
        label: 'Who can change what I post?',
        element: radioButtons(whoOptions, subscribers.kind),
        hint: 'Add, change and remove subscriptions, and mute me. Everyone else can ask an admin.',
      }),
      input(actionIds.settingsPeople, {
        label: 'People',
        optional: true,
        element: {
          type: 'multi_users_select',
          placeholder: plainText('Choose people', limits.placeholder),
          max_selected_items: people.most,
          ...(userIds.length === 0 ? {} : { initial_users: [...userIds] }),
        },
        hint: 'Only needed for the last choice above.',
      }),
      input(actionIds.settingsProjects, {
        label: 'Allowed projects',
        optional: true,
        element: textField({
          text: typed,
          multiline: true,
          placeholder: '123-456-789',
        }),
        hint: 'One 9-digit id per line. Empty means all projects. Includes their folders and files; sessions aren’t limited.',
      }),
      ...settingFields(settings),
      context(
        say`Existing subscriptions stay as they are. Guests and people from other organizations can’t change anything.`,
      ),
    ],
  });
}

/** Reads the form: the settings, or by block what is wrong with it (Slack: response_action "errors"). */
export function readSettingsForm(
  fieldOf: FieldOf,
): { readonly settings: WorkspaceSettings } | { readonly errors: Readonly<Record<string, string>> } {
  const [kind] = chosenIn(fieldOf(blockIds.settingsWho));
  const userIds = fieldOf(blockIds.settingsPeople)?.selected_users ?? [];
  const typed = (fieldOf(blockIds.settingsProjects)?.value ?? '')
    .split(/[\n,;]/)
    .filter((word) => word.trim());
  const ids = new Set(typed.map(readNineDigits));
  const odd = typed.find((word) => readNineDigits(word) === null);
  const notAnId: Phrase = say`${quoted(odd ?? '')} isn’t a project id. An id has 9 digits, such as 123-456-789.`;
  const errors = {
    ...(kind === 'people' && userIds.length === 0
      ? { [blockIds.settingsPeople]: 'Choose at least one person.' }
      : {}),
    ...(ids.size > mostProjects
      ? { [blockIds.settingsProjects]: `List at most ${mostProjects} projects.` }
      : {}),
    ...(odd === undefined ? {} : { [blockIds.settingsProjects]: inPlain(notAnId, limits.fieldError) }),
  };
  if (Object.keys(errors).length > 0) return { errors };
  const subscribers: Subscribers =
    kind === 'people' ? { kind, userIds } : { kind: kind === 'everyone' ? kind : 'admins' };
  const projects = [...ids].filter((id) => id !== null);
  return { settings: { ...readSettings(fieldOf), subscribers, projects } };
}

/** Describes the workspace's settings. `people`: the people named in them. */
export function settingsInWords(shown: {
  readonly settings: WorkspaceSettings;
  readonly people: readonly Who[];
  readonly mayChange: boolean;
}): Message {
  const { settings, people: named, mayChange } = shown;
  return messageOf({
    lines: rowsOf(settings, named).map(([title, words]) => say`${strong(title)}: ${words}.`),
    small: mayChange ? [] : [say`Workspace admins can change this.`],
    buttons: mayChange ? [requestButton('Change', { act: 'settings' })] : [],
  });
}

/** Returns what differs between two settings, in words. People are counted, not named. */
export function settingsChanges(
  before: WorkspaceSettings,
  after: WorkspaceSettings,
): NonNullable<AuditDetail['changes']> {
  const was = rowsOf(before, null).map(([, words]) => inPlain(words));
  return rowsOf(after, null)
    .map(([title, words], index) => ({ title, before: was[index] ?? '', after: inPlain(words) }))
    .filter((row) => row.before !== row.after);
}

function rowsOf(settings: WorkspaceSettings, named: readonly Who[] | null) {
  const projects = settings.projects.map((id): Phrase => [plainly(id)]);
  return [
    ['Who can change what I post', whoMay(settings, named)] as const,
    ['Allowed projects', projects.length === 0 ? say`all` : joined(projects, ', ')] as const,
    ...settingWords(settings),
  ];
}

function whoMay({ subscribers }: WorkspaceSettings, named: readonly Who[] | null): Phrase {
  switch (subscribers.kind) {
    case 'everyone':
      return say`all full members, in channels they’re in`;
    case 'admins':
      return say`workspace admins only`;
    case 'people': {
      const { length } = subscribers.userIds;
      const names = named?.map((who): Phrase => whoIs(who)) ?? [[counted(length, 'person', 'people')]];
      return say`workspace admins and ${joined(names, ', ', ' and ')}`;
    }
  }
}

/** Confirms saved settings. */
export const settingsSaved = notice`Saved. Existing subscriptions stay as they are.`;
