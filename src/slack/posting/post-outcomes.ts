import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';
import { workspaceErrors } from '../../core/model/pause-reason.ts';
import type { PostOutcome } from '../../core/slack.ts';
import { NotSentError } from '../installing/web-clients.ts';

type FailureKind = Exclude<PostOutcome['kind'], 'posted'>;

/** How long to wait if Slack does not say, in seconds. */
const defaultWaitSeconds = 30;
/** The same for a 429 without `Retry-After`. Slack always sends that header, so the 429 is probably not Slack's and may soon be over. */
const unnamed429WaitSeconds = 5;
/** How long to wait for a free-plan workspace that has reached its message limit, which does not change within minutes. */
const messageLimitWaitSeconds = 3_600;
/** The longest wait, whatever Slack says. */
const longestWaitSeconds = 3_600;

/** What each error means for a message, by Slack's documentation of `chat.postMessage` and, for one to a person, `conversations.open`. */
const kinds: Readonly<Record<FailureKind, string>> = {
  wait: 'ratelimited rate_limited message_limit_exceeded',
  perhaps: `
    internal_error fatal_error service_unavailable request_timeout duplicate_channel_not_found
    duplicate_message_not_found`,
  'workspace moving': 'team_added_to_org org_login_required',
  'channel closed': `
    channel_not_found is_archived not_in_channel restricted_action restricted_action_read_only_channel
    restricted_action_thread_only_channel restricted_action_non_threadable_channel no_permission
    ekm_access_denied messages_tab_disabled cannot_dm_bot user_disabled user_not_found user_not_visible`,
  'workspace closed': workspaceErrors.join(' '),
  refused: `
    invalid_blocks invalid_blocks_format msg_blocks_too_long msg_too_long no_text too_many_attachments
    metadata_too_large invalid_metadata_format markdown_text_conflict invalid_arguments invalid_arg_name
    invalid_array_arg invalid_charset invalid_form_data invalid_post_type missing_post_type
    method_deprecated deprecated_endpoint as_user_not_supported`,
  'thread gone': `
    cannot_reply_to_message thread_not_found message_not_found restricted_action_thread_locked
    cant_update_message edit_window_closed update_failed`,
};

const kindOf = new Map(
  Object.entries(kinds).flatMap(([kind, errors]) =>
    errors
      .trim()
      .split(/\s+/)
      .map((error) => [error, kind as FailureKind] as const),
  ),
);

/** How long to wait before retrying a message that was never sent, in seconds. */
const unsentWaitSeconds = 5;

/** Classifies a failed Web API call so that the caller can decide what to do. Unknown errors count as `perhaps`. */
export function outcomeOf(error: unknown): Exclude<PostOutcome, { kind: 'posted' }> {
  if (error instanceof WebAPIRateLimitedError) {
    const named = error.retryAfter > 0 ? error.retryAfter : defaultWaitSeconds;
    return { kind: 'wait', seconds: Math.min(named, longestWaitSeconds), error: 'ratelimited' };
  }
  if (error instanceof WebAPIPlatformError) return ofPlatform(error.data.error);
  if (error instanceof WebAPIHTTPError) {
    const { statusCode } = error;
    if (statusCode === 429) return { kind: 'wait', seconds: defaultWaitSeconds, error: 'ratelimited' };
    return { kind: 'perhaps', error: `http_${statusCode}` };
  }
  if (error instanceof WebAPIRequestError) {
    const cause = systemError(error);
    return cause instanceof NotSentError
      ? { kind: 'wait', seconds: unsentWaitSeconds, error: cause.code }
      : { kind: 'perhaps', error: cause?.code ?? 'request_error' };
  }
  // The client has no error class for a 429 without `Retry-After` (seen in 8.2.0).
  if (error instanceof Error && error.message.startsWith('Retry header did not contain')) {
    return { kind: 'wait', seconds: unnamed429WaitSeconds, error: 'ratelimited' };
  }
  return { kind: 'perhaps', error: 'unexpected' };
}

function ofPlatform(error: string): Exclude<PostOutcome, { kind: 'posted' }> {
  // A body that is not JSON arrives here as a whole; a real Slack error is a short name.
  const name = /^[a-z0-9_.]{1,80}$/.test(error) ? error : 'unreadable';
  const kind = kindOf.get(name);
  if (kind === undefined) return { kind: 'perhaps', error: name, unknown: name !== 'unreadable' };
  if (kind === 'wait') {
    const seconds = name === 'message_limit_exceeded' ? messageLimitWaitSeconds : defaultWaitSeconds;
    return { kind, seconds, error: name };
  }
  return { kind, error: name };
}

/** Returns the system error behind a failed request, which the client wraps in `cause`. */
function systemError(error: unknown): (Error & { readonly code: string }) | null {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    if (hasCode(cause) && !cause.code.startsWith('slack_')) return cause;
  }
  return null;
}

function hasCode(error: Error): error is Error & { readonly code: string } {
  return 'code' in error && typeof error.code === 'string';
}
