/** The `action_id` of each field of a form. Those of the subscribe form have a prefix, because Slack reports their changes as they happen. */
const fieldIds = {
  code: 'code',
  formChannel: 'form_channel',
  formResource: 'form_resource',
  formKind: 'form_kind',
  formKindProject: 'form_kind_project',
  formKindSession: 'form_kind_session',
  formFolder: 'form_folder',
  formItem: 'form_item',
  formScope: 'form_scope',
  formTypes: 'form_types',
  formFolders: 'form_folders',
  formPaths: 'form_paths',
  formByUsers: 'form_by_users',
  formByEmails: 'form_by_emails',
  formNotByUsers: 'form_not_by_users',
  formNotByEmails: 'form_not_by_emails',
  formWhen: 'form_when',
  formAt: 'form_at',
  formDays: 'form_days',
  formDay: 'form_day',
  formExcept: 'form_except',
  formThreads: 'form_threads',
  formName: 'form_name',
  /** The other settings are in `admin/setting-rows.ts`. */
  settingsWho: 'settings_who',
  settingsPeople: 'settings_people',
  settingsProjects: 'settings_projects',
  importText: 'import_text',
  showAllFind: 'show_all_find',
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
} as const;

/** The `callback_id` of each form and of the Home tab. */
export const callbackIds = {
  linkCode: 'link_code',
  showAll: 'show_all',
  subscribe: 'subscribe',
  formPreview: 'form_preview',
  settings: 'settings',
  importFile: 'import',
  removeData: 'remove_data',
  /** The answer to a press in the Home tab, where there is no other place to answer. */
  answer: 'answer',
  home: 'home',
} as const;

type BlockId<ActionId extends string> = ActionId extends `form_${infer Block}` ? Block : ActionId;

/** Returns the `block_id` of a field, by which a form's errors are keyed (Slack: response_action "errors"). */
export function blockIdOf<const ActionId extends string>(actionId: ActionId): BlockId<ActionId> {
  return actionId.replace(/^form_/, '') as BlockId<ActionId>;
}

/** The `block_id` of each field of a form. */
export const blockIds = Object.fromEntries(
  Object.entries(fieldIds).map(([name, id]) => [name, blockIdOf(id)]),
) as { readonly [Name in keyof typeof fieldIds]: BlockId<(typeof fieldIds)[Name]> };
