/** Everything that can be pressed, as Slack sends it back in `action_id`. The same id twice in one block is refused by Slack. */
export const actionIds = {
  /** The menu of an activity message; what was chosen is in the option's value. */
  activityMenu: 'activity_menu',
  showAll: 'show_all',
  showAllPrevious: 'show_all_previous',
  showAllNext: 'show_all_next',
  /** A URL button: the browser opens, and Slack sends an interaction all the same. */
  linkOpen: 'link_open',
  enterLinkCode: 'enter_link_code',
  linkReplaceConfirm: 'link_replace_confirm',
  linkReplaceCancel: 'link_replace_cancel',
  unlinkAsk: 'unlink_ask',
  unlinkConfirm: 'unlink_confirm',
  subscribeKind: 'subscribe_kind',
  subscribeAnyway: 'subscribe_anyway',
  subscribeShared: 'subscribe_shared',
  /** A folder without its contents, where the service refuses the project. */
  subscribeFolderOnly: 'subscribe_folder_only',
  /** The corrected line of somebody who mistyped it. */
  runCorrection: 'run_correction',
  /** How much is shown in a channel that is shared with another organization. */
  sharedShowAll: 'shared_show_all',
  sharedShowLess: 'shared_show_less',
  subscriptionRemove: 'subscription_remove',
  subscriptionTakeOver: 'subscription_take_over',
  /** The menu of a row in a list; each of its options says what to do and with which subscription. */
  subscriptionMenu: 'subscription_menu',
  subscriptionPause: 'subscription_pause',
  subscriptionResume: 'subscription_resume',
  subscriptionUndo: 'subscription_undo',
  /** Ends a mute of one item or person in a channel. */
  showAgain: 'show_again',
  /** Undoes a mute of one item or person, or its end. */
  exclusionUndo: 'exclusion_undo',
  unsubscribeAllConfirm: 'unsubscribe_all_confirm',
  askAdmin: 'ask_admin',
  requestAllow: 'request_allow',
  requestDecline: 'request_decline',
  settingsOpen: 'settings_open',
  whyPrevious: 'why_page_previous',
  whyNext: 'why_page_next',
  doctorDetails: 'doctor_details',
  /** Remedies that "why?" and the check of a channel offer. */
  repairLink: 'mend_link',
  liftMute: 'mend_mute',
  repairPosting: 'mend_posting',
  repairRemoteSubscription: 'mend_record',
  replayDeadLetters: 'mend_dead',
  listPrevious: 'list_page_previous',
  listNext: 'list_page_next',
  /** The "no" of every question: the question goes, nothing else happens. */
  dismiss: 'dismiss',
  /** The Home tab. */
  homeLink: 'home_link',
  homeUnlink: 'home_unlink',
  homeFollow: 'home_follow',
  homeFollowPersonally: 'home_follow_personally',
  homePrevious: 'home_page_previous',
  homeNext: 'home_page_next',
  /** The one field of the code form; not a button, so it sends nothing by itself. */
  code: 'code',
  /** The fields and buttons of the form that subscribes. */
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
  formExcept: 'form_except',
  formThreads: 'form_threads',
  formName: 'form_name',
  formAnyway: 'form_anyway',
  formPreview: 'form_preview',
  formMore: 'form_more',
  /** The fields of the form for the workspace's settings. */
  settingsWho: 'settings_who',
  settingsPeople: 'settings_people',
  settingsProjects: 'settings_projects',
  settingsSigns: 'settings_signs',
} as const;

/** Buttons of messages that older releases sent, which people may still press. */
export const olderActionIds = {
  /** Now in the menu of a row. */
  subscriptionEdit: 'subscription_edit',
} as const;

/** Forms, as Slack sends them back in `callback_id`. */
export const callbackIds = {
  linkCode: 'link_code',
  showAll: 'show_all',
  subscribe: 'subscribe',
  formPreview: 'form_preview',
  settings: 'settings',
  /** What is answered to a press in the Home tab, where nothing can be said otherwise. */
  answer: 'answer',
  home: 'home',
} as const;

/** Fields of forms: errors of a form are keyed by these (Slack: response_action "errors"). */
export const blockIds = {
  code: 'code',
  formChannel: 'channel',
  formResource: 'resource',
  formKind: 'kind',
  formKindProject: 'kind_project',
  formKindSession: 'kind_session',
  formFolder: 'folder',
  formItem: 'item',
  formScope: 'scope',
  formTypes: 'types',
  formFolders: 'folders',
  formPaths: 'paths',
  formByUsers: 'by_users',
  formByEmails: 'by_emails',
  formNotByUsers: 'not_by_users',
  formNotByEmails: 'not_by_emails',
  formWhen: 'when',
  formAt: 'at',
  formDays: 'days',
  formExcept: 'except',
  formThreads: 'threads',
  formName: 'name',
  formAnyway: 'anyway',
  settingsWho: 'settings_who',
  settingsPeople: 'settings_people',
  settingsProjects: 'settings_projects',
  settingsSigns: 'settings_signs',
} as const;
