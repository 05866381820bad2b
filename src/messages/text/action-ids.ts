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
  removeDataOf: 'remove_data_of',
  removeDataChannel: 'remove_data_channel',
  removeDataPerson: 'remove_data_person',
} as const;

/** The `action_id` of everything that can be pressed or chosen. Slack refuses the same id twice in one block. */
export const actionIds = {
  ...fieldIds,
  /** The menu of an activity message; the choice is in the option's value. */
  activityMenu: 'activity_menu',
  showAll: 'show_all',
  showAllPrevious: 'show_all_previous',
  showAllNext: 'show_all_next',
  /** A URL button: it opens the browser, and Slack also sends an interaction. */
  linkOpen: 'link_open',
  enterLinkCode: 'enter_link_code',
  unlinkAsk: 'unlink_ask',
  unlinkConfirm: 'unlink_confirm',
  subscribeKind: 'subscribe_kind',
  subscribeShared: 'subscribe_shared',
  /** Agrees to own a subscription whose scope changes. */
  subscribeScope: 'subscribe_scope',
  /** Subscribes to a folder without its contents, because the service refuses access to the project. */
  subscribeFolderOnly: 'subscribe_folder_only',
  /** Runs what was understood of a line. Messages in Slack hold the id, so it keeps the word of the first release. */
  runCorrection: 'run_correction',
  /** Opens the form filled in with that. */
  editTyped: 'edit_typed',
  /** How much is shown in a channel that is shared with another organization. */
  sharedShowAll: 'shared_show_all',
  sharedShowLess: 'shared_show_less',
  subscriptionRemove: 'subscription_remove',
  subscriptionTakeOver: 'subscription_take_over',
  subscriptionEdit: 'subscription_edit',
  /** The menu of a row in a list. The value of each option names the act and the subscription. */
  subscriptionMenu: 'subscription_menu',
  subscriptionPause: 'subscription_pause',
  subscriptionResume: 'subscription_resume',
  /** Restores removed subscriptions. */
  subscriptionUndo: 'subscription_undo',
  /** Restores the settings before a change, or removes a new subscription. */
  settingsUndo: 'settings_undo',
  /** Ends a mute of one item or person in a channel. */
  showAgain: 'show_again',
  unsubscribeAllConfirm: 'unsubscribe_all_confirm',
  askAdmin: 'ask_admin',
  requestAllow: 'request_allow',
  requestDecline: 'request_decline',
  settingsOpen: 'settings_open',
  importOpen: 'import_open',
  /** The admin screens of the Home tab. */
  workspaceOpen: 'workspace_open',
  workspaceBack: 'workspace_back',
  workspaceState: 'workspace_state',
  workspaceChannel: 'workspace_channel',
  workspaceOwner: 'workspace_owner',
  workspaceClear: 'workspace_clear',
  workspacePause: 'workspace_pause',
  workspaceResume: 'workspace_resume',
  workspaceRemove: 'workspace_remove',
  workspacePauseAll: 'workspace_pause_all',
  workspaceResumeAll: 'workspace_resume_all',
  workspaceRemoveAll: 'workspace_remove_all',
  workspacePauseHidden: 'workspace_pause_hidden',
  workspacePrevious: 'workspace_previous',
  workspaceNext: 'workspace_next',
  auditOpen: 'audit_open',
  auditOlder: 'audit_older',
  auditNewest: 'audit_newest',
  removeDataOpen: 'remove_data_open',
  whyPrevious: 'why_page_previous',
  whyNext: 'why_page_next',
  doctorDetails: 'doctor_details',
  /** Remedies that `why` and `doctor` offer. Messages in Slack hold their ids, so these keep the words of the first release. */
  repairLink: 'mend_link',
  liftMute: 'mend_mute',
  repairPosting: 'mend_posting',
  repairRemoteSubscription: 'mend_record',
  replayDeadLetters: 'mend_dead',
  listPrevious: 'list_page_previous',
  listNext: 'list_page_next',
  /** The "no" of every question: removes the question and does nothing else. */
  dismiss: 'dismiss',
  /** The Home tab. */
  homeLink: 'home_link',
  homeUnlink: 'home_unlink',
  homeFollow: 'home_follow',
  homeFollowPersonally: 'home_follow_personally',
  /** Mute and unmute the person's direct message with the bot, where nothing can be typed. */
  homeMute: 'home_mute',
  homeUnmute: 'home_unmute',
  homePrevious: 'home_page_previous',
  homeNext: 'home_page_next',
  /** The subscribe form. */
  formPreview: 'form_preview',
  formMore: 'form_more',
} as const;

/** Buttons of earlier releases: the messages in which they asked an owner about an import. */
export const oldActionIds = { importAccept: 'import_accept', importDecline: 'import_decline' } as const;

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
