import type { ModalView } from '@slack/types';
import type { AuditDetail } from '../../core/model/log-fields.ts';
import { defaultSettings, mostDetailsDays, type WorkspaceSettings } from '../../core/model/settings.ts';
import { readNineDigits } from '../../core/model/typed-text.ts';
import { whenName, whenOf } from '../subscribing/form-fields.ts';
import { type Who, whoIs } from '../text/copy.ts';
import { limits } from '../text/limits.ts';
import { context, type Message, messageOf, notice, plainText, requestButton } from '../text/message.ts';
import {
  callbackIds,
  checkboxes,
  chosenIn,
  drawField,
  errorsOf,
  type FieldOf,
  type FormField,
  modal,
  option,
  optionsOf,
  radioButtons,
  readEntered,
  select,
  textField,
} from '../text/modal.ts';
import { counted, inPlain, joined, type Phrase, plainly, quoted, say, strong } from '../text/phrase.ts';

/** A setting: its field in the form, and its words in the list of settings. */
type Setting = FormField<WorkspaceSettings, WorkspaceSettings> & {
  readonly label: string;
  /** Replaces the label in the list. */
  readonly title?: string;
  /** Missing for a field that belongs to the one above it. `named`: the people in the settings; null to count them. */
  readonly words?: (settings: WorkspaceSettings, named: readonly Who[] | null) => Phrase;
};

const whoLabels = {
  everyone: 'All full members, in channels they’re in',
  admins: 'Workspace admins only',
  people: 'Workspace admins and the people below',
} as const;

/** Digests have only one time of day, since people in different time zones use the setting. */
const deliveryLabels: Readonly<Record<string, string>> = {
  live: 'As changes happen',
  hourly: 'Hourly digest',
  daily: 'Daily digest at 9:00',
  weekdays: 'Daily digest at 9:00, Monday to Friday',
};

const sharingLabels = { ask: 'Ask first', never: 'Don’t allow new subscriptions' } as const;

/** In the order of the menu. */
const daysToKeep = [mostDetailsDays, 3, 1];

const mostPeople = 100;
/** The most ids that fit into the field, one per line. */
export const mostProjects = 200;

/** Every setting, in the order of the form. Older releases use the same ids. */
const fields: Readonly<Record<string, Setting>> = {
  settings_who: {
    label: 'Who can change what I post?',
    hint: 'Add, change and remove subscriptions, and mute me. Everyone else can ask an admin.',
    element: ({ subscribers }) => radioButtons(optionsOf(whoLabels), subscribers.kind),
    read: (sent) => {
      const [kind] = chosenIn(sent);
      if (kind === 'people') return { subscribers: { kind, userIds: [] } };
      return { subscribers: { kind: kind === 'everyone' ? kind : 'admins' } };
    },
    title: 'Who can change what I post',
    words: ({ subscribers }, named) => {
      if (subscribers.kind !== 'people') return [lowered(whoLabels[subscribers.kind])];
      const count = counted(subscribers.userIds.length, 'person', 'people');
      return say`workspace admins and ${joined(named?.map(whoIs) ?? [[count]], ', ', ' and ')}`;
    },
  },
  settings_people: {
    label: 'People',
    hint: 'Only needed for the last choice above.',
    optional: true,
    element: ({ subscribers }) => {
      const userIds = subscribers.kind === 'people' ? subscribers.userIds.slice(0, mostPeople) : [];
      return {
        type: 'multi_users_select',
        placeholder: plainText('Choose people', limits.placeholder),
        max_selected_items: mostPeople,
        ...(userIds.length > 0 && { initial_users: userIds }),
      };
    },
    read: ({ selected_users }, { subscribers: { kind } }) => {
      const userIds = selected_users ?? [];
      if (kind !== 'people') return {};
      return userIds.length > 0
        ? { subscribers: { kind, userIds } }
        : { fault: say`Choose at least one person.` };
    },
  },
  settings_projects: {
    label: 'Allowed projects',
    hint: 'One 9-digit id per line. Empty means all projects. Includes their folders and files; sessions aren’t limited.',
    optional: true,
    element: ({ projects }) => {
      const text = projects.slice(0, mostProjects).join('\n');
      return textField({ text, multiline: true, placeholder: '123-456-789' });
    },
    read: ({ value }) => {
      const typed = (value ?? '').split(/[\n,;]/).filter((word) => word.trim());
      const odd = typed.find((word) => readNineDigits(word) === null);
      if (odd !== undefined) {
        const fault = say`${quoted(odd)} isn’t a project id. An id has 9 digits, such as 123-456-789.`;
        return { fault };
      }
      const projects = [...new Set(typed.flatMap((word) => readNineDigits(word) ?? []))];
      return projects.length > mostProjects
        ? { fault: say`List at most ${mostProjects} projects.` }
        : { projects };
    },
    words: ({ projects }) =>
      projects.length === 0
        ? say`all`
        : joined(
            projects.map((id): Phrase => [plainly(id)]),
            ', ',
          ),
  },
  settings_signs: {
    label: 'Activity messages',
    hint: 'Without icons, the text stays the same.',
    optional: true,
    element: ({ signs }) => checkboxes(optionsOf({ signs: 'Show icons (➕ 🔁 🗑️)' }), signs ? ['signs'] : []),
    read: (sent) => ({ signs: chosenIn(sent).length > 0 }),
    title: 'Icons in activity messages',
    words: ({ signs }) => [signs ? 'on' : 'off'],
  },
  settings_delivery: {
    label: 'Delivery of new subscriptions',
    hint: 'Used unless the person who subscribes chooses otherwise. Digests use that person’s time zone.',
    element: ({ delivery }) => select(optionsOf(deliveryLabels), whenName(delivery)),
    read: (sent) => ({ delivery: whenOf(chosenIn(sent)[0]) }),
    words: ({ delivery }) => [lowered(deliveryLabels[whenName(delivery)] ?? '')],
  },
  settings_sharing: {
    label: 'Channels shared with other organizations',
    hint: 'Names and paths are shortened there until a member shows everything.',
    element: ({ sharing }) => radioButtons(optionsOf(sharingLabels), sharing),
    read: (sent) => ({ sharing: chosenIn(sent)[0] === 'never' ? 'never' : 'ask' }),
    words: ({ sharing }) => [lowered(sharingLabels[sharing])],
  },
  settings_details: {
    label: 'Keep the details of posted changes',
    hint: 'File names, paths and emails. After that, “Show all” and /plancast why can’t list them; messages in Slack stay.',
    element: ({ detailsDays }) =>
      select(
        daysToKeep.map((days) => option(String(days), counted(days, 'day'))),
        String(detailsDays),
      ),
    read: (sent) => ({
      detailsDays: daysToKeep.find((days) => chosenIn(sent)[0] === String(days)) ?? mostDetailsDays,
    }),
    title: 'Details of posted changes',
    words: ({ detailsDays }) => say`kept for ${counted(detailsDays, 'day')}`,
  },
};

function lowered(label: string): string {
  return label.charAt(0).toLowerCase() + label.slice(1);
}

/** The ids of all fields. */
export const settingIds: readonly string[] = Object.keys(fields);

/** Makes the form for the workspace's settings. `metadata` comes back with it. */
export function settingsForm(settings: WorkspaceSettings, metadata: string): ModalView {
  return modal({
    callbackId: callbackIds.settings,
    metadata,
    title: 'Settings',
    submit: 'Save',
    blocks: [
      ...Object.entries(fields).map(([id, field]) => drawField(id, field, settings)),
      context(
        say`Existing subscriptions stay as they are. Guests and people from other organizations can’t change anything.`,
      ),
    ],
  });
}

/** Reads the form: the settings, or by block what is wrong with it. */
export function readSettingsForm(
  fieldOf: FieldOf,
): { readonly settings: WorkspaceSettings } | { readonly errors: Readonly<Record<string, string>> } {
  const start: WorkspaceSettings = { ...defaultSettings, subscribers: { kind: 'admins' } };
  const { entered: settings, faults } = readEntered(fields, start, fieldOf);
  return faults.size > 0 ? { errors: errorsOf(faults) } : { settings };
}

/** Describes the workspace's settings. `people`: the people named in them. */
export function settingsInWords(
  settings: WorkspaceSettings,
  people: readonly Who[],
  mayChange: boolean,
): Message {
  return messageOf({
    lines: rowsOf(settings, people).map(([title, words]) => say`${strong(title)}: ${words}.`),
    small: [!mayChange && say`Workspace admins can change this.`],
    buttons: [mayChange && requestButton('Change', { act: 'settings' })],
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
  return Object.values(fields).flatMap(({ label, title = label, words }) =>
    words ? [[title, words(settings, named)] as const] : [],
  );
}

/** Confirms saved settings. */
export const settingsSaved = notice`Saved. Existing subscriptions stay as they are.`;
