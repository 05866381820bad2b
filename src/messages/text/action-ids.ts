/** The `action_id` of each field of a form, except the subscribe form's, which are in `subscribing/form-fields.ts`. */
const fieldIds = {
  code: 'code',
  /** The other settings are in `admin/settings.ts`. */
  settingsWho: 'settings_who',
  settingsPeople: 'settings_people',
  settingsProjects: 'settings_projects',
  importText: 'import_text',
  showAllFind: 'show_all_find',
  quietDays: 'quiet_days',
  quietFrom: 'quiet_from',
  quietTo: 'quiet_to',
  quietExcept: 'quiet_except',
  removeDataOf: 'remove_data_of',
  removeDataChannel: 'remove_data_channel',
  removeDataPerson: 'remove_data_person',
} as const;

/**
 * The `action_id` of the fields of forms, of the filters in an admin's Home tab, and of the buttons that only change a form. That of any other
 * button is its act.
 */
export const actionIds = {
  ...fieldIds,
  workspaceState: 'workspace_state',
  workspaceChannel: 'workspace_channel',
  workspaceOwner: 'workspace_owner',
  formPreview: 'form_preview',
  formMore: 'form_more',
  formBack: 'form_back',
} as const;

/** The `callback_id` of each form and of the Home tab. */
export const callbackIds = {
  linkCode: 'link_code',
  showAll: 'show_all',
  /** The first step of the subscribe form, and the second. */
  target: 'target',
  subscribe: 'subscribe',
  formPreview: 'form_preview',
  settings: 'settings',
  importFile: 'import',
  removeData: 'remove_data',
  quiet: 'quiet',
  /** The answer to a press in the Home tab, where there is no other place to answer. */
  answer: 'answer',
  home: 'home',
} as const;

/** The `block_id` of each field of a form, by which its errors are keyed (Slack: response_action "errors"): its `action_id`. */
export const blockIds = fieldIds;
