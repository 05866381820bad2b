import type { InputBlock, PlainTextOption } from '@slack/types';
import type { TypedWhen } from '../../core/model/request.ts';
import { defaultSettings, mostDetailsDays, type WorkspaceSettings } from '../../core/model/settings.ts';
import { initialOption, initialOptions, input, option } from '../text/input.ts';
import { counted, type Phrase, strong } from '../text/phrase.ts';

/** A setting that is chosen among a few values: its field in the form, and how it is said in words. */
type SettingRow<Value> = {
  /** Of the block and of its action; older releases read the same. */
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly element: 'static_select' | 'radio_buttons' | 'checkboxes';
  readonly choices: readonly { readonly name: string; readonly label: string; readonly value: Value }[];
  /** The name of the choice that a value is. */
  readonly nameOf: (value: Value) => string;
  /** What stands for the label where the settings are listed. */
  readonly title?: string | undefined;
  readonly inWords?: ((value: Value) => string) | undefined;
};

type ChosenSettings = Omit<WorkspaceSettings, 'subscribers' | 'projects'>;
type SettingName = keyof ChosenSettings;

/** Every setting that is one choice, in the order of the form. */
const rows: { readonly [Name in SettingName]: SettingRow<WorkspaceSettings[Name]> } = {
  signs: {
    id: 'settings_signs',
    label: 'Activity messages',
    hint: 'A sign for what happened, such as ➕ for added. The words stay the same without it.',
    element: 'checkboxes',
    choices: [{ name: 'signs', label: 'Begin each line with a sign', value: true }],
    nameOf: (signs) => (signs ? 'signs' : ''),
    title: 'Signs in activity messages',
    inWords: (signs) => (signs ? 'on' : 'off'),
  },
  delivery: {
    id: 'settings_delivery',
    label: 'Delivery of new subscriptions',
    hint: 'Used unless the person who subscribes chooses otherwise. Digests use that person’s time zone.',
    element: 'static_select',
    // One time of day, since people of all time zones use it.
    choices: [
      { name: 'live', label: 'As changes happen', value: { when: 'live' } },
      { name: 'hourly', label: 'Hourly digest', value: { when: 'hourly' } },
      { name: 'daily', label: 'Daily digest at 9:00', value: { when: 'daily', at: '09:00' } },
      {
        name: 'weekdays',
        label: 'Digest on weekdays at 9:00',
        value: { when: 'daily', at: '09:00', weekdays: true },
      },
    ],
    nameOf: (delivery: TypedWhen) =>
      delivery.when === 'daily' && delivery.weekdays ? 'weekdays' : delivery.when,
  },
  sharing: {
    id: 'settings_sharing',
    label: 'Channels shared with other organizations',
    hint: 'Names and paths are shortened there until a member shows all.',
    element: 'radio_buttons',
    choices: [
      { name: 'ask', label: 'Ask first', value: 'ask' },
      { name: 'never', label: 'Don’t allow new subscriptions', value: 'never' },
    ],
    nameOf: (sharing) => sharing,
  },
  detailsDays: {
    id: 'settings_details',
    label: 'Keep the details of posted changes',
    hint: 'File names, paths and emails. After that, Show all and why can’t list them anymore; messages in Slack stay.',
    element: 'static_select',
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

/** The fields of the form. */
export function settingFields(settings: WorkspaceSettings): InputBlock[] {
  return names.map((name) => fieldOf(name, settings));
}

/** The settings in words, a line each. */
export function settingLines(settings: WorkspaceSettings): Phrase[] {
  return names.map((name) => lineOf(name, settings));
}

/** What was chosen, from the options of a field by the id of its block; a value that is not offered is as in a new workspace. */
export function readSettings(chosenIn: (id: string) => readonly string[]): ChosenSettings {
  const read = <Name extends SettingName>(name: Name) => {
    const { id, element, choices } = rows[name];
    const chosen = choices.find((each) => chosenIn(id).includes(each.name));
    const otherwise = element === 'checkboxes' ? false : defaultSettings[name];
    return [name, chosen?.value ?? otherwise] as const;
  };
  return Object.fromEntries(names.map(read)) as ChosenSettings;
}

function fieldOf<Name extends SettingName>(setting: Name, settings: WorkspaceSettings): InputBlock {
  const row: SettingRow<WorkspaceSettings[Name]> = rows[setting];
  const { id, label, hint, element } = row;
  const options: PlainTextOption[] = row.choices.map((each) => option(each.name, each.label));
  const name = row.nameOf(settings[setting]);
  const made: InputBlock['element'] =
    element === 'checkboxes'
      ? { type: element, action_id: id, options, ...initialOptions(options, [name]) }
      : { type: element, action_id: id, options, ...initialOption(options, name) };
  return input(id, { label, hint, optional: element === 'checkboxes', element: made });
}

function lineOf<Name extends SettingName>(setting: Name, settings: WorkspaceSettings): Phrase {
  const row: SettingRow<WorkspaceSettings[Name]> = rows[setting];
  const value = settings[setting];
  const label = row.choices.find(({ name }) => name === row.nameOf(value))?.label ?? '';
  const words = row.inWords?.(value) ?? label.charAt(0).toLowerCase() + label.slice(1);
  return [strong(row.title ?? row.label), `: ${words}.`];
}
