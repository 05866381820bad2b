import type { InputBlock, ModalView, PlainTextOption } from '@slack/types';
import type { TypedWhen } from '../../core/model/request.ts';
import { mostDetailsDays, type Subscribers, type WorkspaceSettings } from '../../core/model/settings.ts';
import { actionIds, blockIds, callbackIds } from '../text/action-ids.ts';
import { type Who, whoIs } from '../text/copy.ts';
import { initialOption, optionsOf } from '../text/input.ts';
import { limits } from '../text/limits.ts';
import { button, context, type Message, messageOf, plainText } from '../text/message.ts';
import { counted, inPlain, joined, type Phrase, plainly, quoted, strong } from '../text/phrase.ts';

/** The mistakes in the form. */
export type SettingsFaults = {
  /** "The people below" was chosen, and nobody was named. */
  readonly people?: 'nobody' | undefined;
  /** A word in the list of projects that is not an id. */
  readonly project?: string | undefined;
  /** There are more projects than can be stored. */
  readonly tooMany?: true | undefined;
};

/** As many ids as fit into the field, one per line. */
export const mostProjects = 200;

const choices: Record<Subscribers['kind'], string> = {
  everyone: 'All full members, in channels they’re in',
  admins: 'Workspace admins only',
  people: 'Workspace admins and the people below',
};

const people = { most: 100 };

/** The deliveries that can be the default: one time of day, since people of all time zones use it. */
export const defaultDeliveries = {
  live: { when: 'live' },
  hourly: { when: 'hourly' },
  daily: { when: 'daily', at: '09:00' },
  weekdays: { when: 'daily', at: '09:00', weekdays: true },
} as const satisfies Record<string, TypedWhen>;

const deliveryLabels: Readonly<Record<keyof typeof defaultDeliveries, string>> = {
  live: 'As changes happen',
  hourly: 'Hourly digest',
  daily: 'Daily digest at 9:00',
  weekdays: 'Digest on weekdays at 9:00',
};

const sharingLabels: Readonly<Record<WorkspaceSettings['sharing'], string>> = {
  ask: 'Ask first',
  never: 'Don’t allow new subscriptions',
};

/** The choices of days, the longest first. */
export const detailsChoices = [mostDetailsDays, 3, 1] as const;

/** Which of the choices a stored delivery is; `live` where it is none. */
function deliveryChoice(delivery: TypedWhen): keyof typeof defaultDeliveries {
  if (delivery.when !== 'daily') return delivery.when;
  return delivery.weekdays ? 'weekdays' : 'daily';
}

const signsOption: PlainTextOption = {
  text: plainText('Begin each line with a sign', limits.optionText),
  value: 'signs',
};

/** The form for the workspace's settings. `metadata` comes back with it. */
export function settingsForm({
  settings,
  metadata,
}: {
  readonly settings: WorkspaceSettings;
  readonly metadata: string;
}): ModalView {
  const { subscribers, projects, signs, delivery, sharing, detailsDays } = settings;
  const deliveryOptions = optionsOf(deliveryLabels);
  const sharingOptions = optionsOf(sharingLabels);
  const detailsOptions = detailsChoices.map((days) => ({
    text: plainText(inDays(days), limits.optionText),
    value: String(days),
  }));
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
      field(blockIds.settingsWho, 'Who can change what I post?', {
        element: {
          type: 'radio_buttons',
          action_id: actionIds.settingsWho,
          options: [choice('everyone'), choice('admins'), choice('people')],
          initial_option: choice(subscribers.kind),
        },
        hint: 'Add, change and remove subscriptions, and mute me. Everyone else can ask an admin.',
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
        hint: 'Used only with the last choice above.',
      }),
      field(blockIds.settingsProjects, 'Allowed projects', {
        optional: true,
        element: {
          type: 'plain_text_input',
          action_id: actionIds.settingsProjects,
          multiline: true,
          max_length: limits.inputText,
          placeholder: plainText('123-456-789', limits.placeholder),
          ...(typed === '' ? {} : { initial_value: typed }),
        },
        hint: 'Nine-digit ids, one per line. Empty means all projects. Includes their folders and files; sessions aren’t limited.',
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
      field(blockIds.settingsDelivery, 'Delivery of new subscriptions', {
        element: {
          type: 'static_select',
          action_id: actionIds.settingsDelivery,
          options: deliveryOptions,
          ...initialOption(deliveryOptions, deliveryChoice(delivery)),
        },
        hint: 'Used unless the person who subscribes chooses otherwise. Digests use that person’s time zone.',
      }),
      field(blockIds.settingsSharing, 'Channels shared with other organizations', {
        element: {
          type: 'radio_buttons',
          action_id: actionIds.settingsSharing,
          options: sharingOptions,
          ...initialOption(sharingOptions, sharing),
        },
        hint: 'Names and paths are shortened there until a member shows all.',
      }),
      field(blockIds.settingsDetails, 'Keep the details of posted changes', {
        element: {
          type: 'static_select',
          action_id: actionIds.settingsDetails,
          options: detailsOptions,
          ...initialOption(detailsOptions, String(detailsDays)),
        },
        hint: 'File names, paths and e-mails. After that, Show all and why can’t list them anymore; messages in Slack stay.',
      }),
      context([
        'Existing subscriptions stay as they are. Guests and people from other organizations can’t change anything.',
      ]),
    ],
  };
}

/** The errors of the form, by the block they belong to (Slack: response_action "errors"). */
export function settingsErrors({ people: nobody, project, tooMany }: SettingsFaults): Record<string, string> {
  const notAnId: Phrase = [
    quoted(project ?? ''),
    ' isn’t a project id. An id has nine digits, like 123-456-789.',
  ];
  return {
    ...(nobody === undefined ? {} : { [blockIds.settingsPeople]: 'Choose at least one person.' }),
    ...(tooMany ? { [blockIds.settingsProjects]: `List at most ${mostProjects} projects.` } : {}),
    ...(project === undefined ? {} : { [blockIds.settingsProjects]: inPlain(notAnId, limits.fieldError) }),
  };
}

/** The workspace's settings in words. `people`: those named in them. */
export function settingsInWords({
  settings,
  people: named,
  mayChange,
}: {
  readonly settings: WorkspaceSettings;
  readonly people: readonly Who[];
  readonly mayChange: boolean;
}): Message {
  const { projects, signs, delivery, sharing, detailsDays } = settings;
  const which: Phrase =
    projects.length === 0
      ? ['all']
      : joined(
          projects.map((id) => [plainly(id)]),
          ', ',
        );
  return messageOf({
    lines: [
      [strong('Who can change what I post'), ': ', ...whoMay(settings, named)],
      [strong('Allowed projects'), ': ', ...which, '.'],
      [strong('Signs in activity messages'), signs ? ': on.' : ': off.'],
      [strong('Delivery of new subscriptions'), `: ${lower(deliveryLabels[deliveryChoice(delivery)])}.`],
      [strong('Channels shared with other organizations'), `: ${lower(sharingLabels[sharing])}.`],
      [strong('Details of posted changes'), `: kept for ${inDays(detailsDays)}.`],
    ],
    small: mayChange ? [] : [['Workspace admins can change this.']],
    buttons: mayChange ? [button({ actionId: actionIds.settingsOpen, label: 'Change' })] : [],
  });
}

function inDays(days: number): string {
  return counted(days, 'day');
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function whoMay({ subscribers: { kind } }: WorkspaceSettings, named: readonly Who[]): Phrase {
  switch (kind) {
    case 'everyone':
      return ['all full members, in channels they’re in.'];
    case 'admins':
      return ['workspace admins only.'];
    case 'people': {
      const names = named.map((who): Phrase => whoIs(who));
      return ['workspace admins and ', ...joined(names, ', ', ' and '), '.'];
    }
  }
}

/** Confirms saved settings. */
export function settingsSaved(): Message {
  return messageOf({ lines: [['Saved. Existing subscriptions stay as they are.']] });
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
