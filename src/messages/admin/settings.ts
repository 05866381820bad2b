import type { ModalView } from '@slack/types';
import type { AuditDetail } from '../../core/model/audit-act.ts';
import type { Subscribers, WorkspaceSettings } from '../../core/model/settings.ts';
import { readNineDigits } from '../../core/model/typed-text.ts';
import { actionIds, blockIds, callbackIds } from '../text/action-ids.ts';
import { type Who, whoIs } from '../text/copy.ts';
import { chosenIn, type FieldOf, input, optionsOf, radioButtons, textField } from '../text/input.ts';
import { limits } from '../text/limits.ts';
import { context, type Message, messageOf, notice, plainText, requestButton } from '../text/message.ts';
import { modal } from '../text/modal.ts';
import { counted, inPlain, joined, type Phrase, plainly, quoted, say, strong } from '../text/phrase.ts';
import { readSettings, settingFields, settingWords } from './setting-rows.ts';

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
