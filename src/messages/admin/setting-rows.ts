import type { InputBlock, PlainTextOption } from '@slack/types';
import type { TypedWhen } from '../../core/model/request.ts';
import { defaultSettings, mostDetailsDays, type WorkspaceSettings } from '../../core/model/settings.ts';
import {
  checkboxes,
  chosenIn,
  type FieldElement,
  type FieldOf,
  input,
  option,
  radioButtons,
  select,
} from '../text/input.ts';
import { counted, type Phrase } from '../text/phrase.ts';

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
export function settingFields(settings: WorkspaceSettings): InputBlock[] {
  return names.map((name) => fieldOf(name, settings));
}

/** Returns the title of each setting, and its words. */
export function settingWords(settings: WorkspaceSettings): (readonly [title: string, words: Phrase])[] {
  return names.map((name) => wordsOf(name, settings));
}

/** Reads the chosen settings. Falls back to the default if an option is unknown. */
export function readSettings(fieldOf: FieldOf): ChosenSettings {
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
