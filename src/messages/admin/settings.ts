import type { InputBlock, ModalView, PlainTextOption } from '@slack/types';
import type { Subscribers, WorkspaceSettings } from '../../core/model/settings.ts';
import { actionIds, blockIds, callbackIds } from '../text/action-ids.ts';
import { type Who, whoIs } from '../text/copy.ts';
import { limits } from '../text/limits.ts';
import { button, context, type Message, messageOf, plainText } from '../text/message.ts';
import { inPlain, joined, type Phrase, plainly, quoted, strong } from '../text/phrase.ts';

/** What of the form was not understood. */
export type SettingsFaults = {
  /** Some people were to be chosen, and nobody was. */
  readonly people?: 'nobody' | undefined;
  /** What was typed for a project and is no id. */
  readonly project?: string | undefined;
  /** More projects than can be kept. */
  readonly tooMany?: true | undefined;
};

/** As many ids as the field shows again, one a line. */
export const mostProjects = 200;

const choices: Record<Subscribers['kind'], string> = {
  everyone: 'All full members, in channels they are in',
  admins: 'Admins of the workspace only',
  people: 'Admins, and the people below',
};

const people = { most: 100 };

const signsOption: PlainTextOption = {
  text: plainText('Begin each line with a sign', limits.optionText),
  value: 'signs',
};

/** The form for the settings of the workspace. `metadata` comes back with it. */
export function settingsForm({
  settings,
  metadata,
}: {
  readonly settings: WorkspaceSettings;
  readonly metadata: string;
}): ModalView {
  const { subscribers, projects, signs } = settings;
  const userIds = subscribers.kind === 'people' ? subscribers.userIds.slice(0, people.most) : [];
  const typed = projects.slice(0, mostProjects).join('\n');
  return {
    type: 'modal',
    callback_id: callbackIds.settings,
    private_metadata: metadata,
    title: plainText('Settings', limits.modalTitle),
    submit: plainText('Save', limits.modalButton),
    close: plainText('Cancel', limits.modalButton),
    blocks: [
      field(blockIds.settingsWho, 'Who may change what I post?', {
        element: {
          type: 'radio_buttons',
          action_id: actionIds.settingsWho,
          options: [choice('everyone'), choice('admins'), choice('people')],
          initial_option: choice(subscribers.kind),
        },
        hint: 'That is: follow something in a channel, change that, remove it, mute me. Others can ask an admin.',
      }),
      field(blockIds.settingsPeople, 'People', {
        optional: true,
        element: {
          type: 'multi_users_select',
          action_id: actionIds.settingsPeople,
          placeholder: plainText('Choose people', limits.placeholder),
          max_selected_items: people.most,
          ...(userIds.length === 0 ? {} : { initial_users: [...userIds] }),
        },
        hint: 'Counts only with the last choice above.',
      }),
      field(blockIds.settingsProjects, 'Projects that may be followed', {
        optional: true,
        element: {
          type: 'plain_text_input',
          action_id: actionIds.settingsProjects,
          multiline: true,
          max_length: limits.inputText,
          placeholder: plainText('123-456-789', limits.placeholder),
          ...(typed === '' ? {} : { initial_value: typed }),
        },
        hint: 'Ids of nine digits, one a line. Leave it empty for all. Folders and files count with their project; sessions are not limited.',
      }),
      field(blockIds.settingsSigns, 'Activity messages', {
        optional: true,
        element: {
          type: 'checkboxes',
          action_id: actionIds.settingsSigns,
          options: [signsOption],
          ...(signs ? { initial_options: [signsOption] } : {}),
        },
        hint: 'The sign of what happened, such as ➕ for added. The words stay the same without it.',
      }),
      context([
        'What is followed already stays as it is. Guests and people of other organisations never may.',
      ]),
    ],
  };
}

/** The errors of the form, by the block they belong to (Slack: response_action "errors"). */
export function settingsErrors({ people: nobody, project, tooMany }: SettingsFaults): Record<string, string> {
  const notAnId: Phrase = [quoted(project ?? ''), ' is not the id of a project: those have nine digits.'];
  return {
    ...(nobody === undefined ? {} : { [blockIds.settingsPeople]: 'Choose at least one person.' }),
    ...(tooMany ? { [blockIds.settingsProjects]: `I can keep ${mostProjects} projects at the most.` } : {}),
    ...(project === undefined ? {} : { [blockIds.settingsProjects]: inPlain(notAnId, limits.fieldError) }),
  };
}

/** The settings of the workspace in words. `people`: those who are named in them. */
export function settingsInWords({
  settings,
  people: named,
  mayChange,
}: {
  readonly settings: WorkspaceSettings;
  readonly people: readonly Who[];
  readonly mayChange: boolean;
}): Message {
  const { projects, signs } = settings;
  const which: Phrase =
    projects.length === 0
      ? ['all']
      : joined(
          projects.map((id) => [plainly(id)]),
          ', ',
        );
  return messageOf({
    lines: [
      [strong('Who may change what I post'), ': ', ...whoMay(settings, named)],
      [strong('Projects that may be followed'), ': ', ...which, '.'],
      [strong('Signs in activity messages'), signs ? ': on.' : ': off.'],
    ],
    small: mayChange ? [] : [['Admins of the workspace can change that.']],
    buttons: mayChange ? [button({ actionId: actionIds.settingsOpen, label: 'Change' })] : [],
  });
}

function whoMay({ subscribers: { kind } }: WorkspaceSettings, named: readonly Who[]): Phrase {
  switch (kind) {
    case 'everyone':
      return ['all full members, in channels they are in.'];
    case 'admins':
      return ['admins of the workspace only.'];
    case 'people': {
      const names = named.map((who): Phrase => whoIs(who));
      return ['admins of the workspace, and ', ...joined(names, ', ', ' and '), '.'];
    }
  }
}

/** The settings were taken. */
export function settingsSaved(): Message {
  return messageOf({ lines: [['Saved. It counts from now on; what is followed already stays as it is.']] });
}

function choice(kind: Subscribers['kind']): PlainTextOption {
  return { text: plainText(choices[kind], limits.optionText), value: kind };
}

function field(
  blockId: string,
  label: string,
  {
    element,
    hint,
    optional = false,
  }: Pick<InputBlock, 'element'> & { readonly hint: string; readonly optional?: boolean },
): InputBlock {
  return {
    type: 'input',
    block_id: blockId,
    label: plainText(label, limits.inputLabel),
    element,
    hint: plainText(hint, limits.inputHint),
    ...(optional ? { optional } : {}),
  };
}
