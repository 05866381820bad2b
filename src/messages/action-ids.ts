/** Everything that can be pressed, as Slack sends it back in `action_id`. The same id twice in one block is refused by Slack. */
export const actionIds = {
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
  subscriptionRemove: 'subscription_remove',
  subscriptionTakeOver: 'subscription_take_over',
  unsubscribeAllConfirm: 'unsubscribe_all_confirm',
  listPrevious: 'list_page_previous',
  listNext: 'list_page_next',
  /** The "no" of every question: the question goes, nothing else happens. */
  dismiss: 'dismiss',
  /** The one field of the code form; not a button, so it sends nothing by itself. */
  code: 'code',
} as const;

/** Forms, as Slack sends them back in `callback_id`. */
export const callbackIds = {
  linkCode: 'link_code',
  showAll: 'show_all',
} as const;

/** Fields of forms: errors of a form are keyed by these (Slack: response_action "errors"). */
export const blockIds = {
  code: 'code',
} as const;
