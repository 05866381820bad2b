import type { ServiceErrorKind } from '../core/model/service-error.ts';
import { kindOf } from './errors.ts';

/** What an error of the token endpoint means to the bot. The bot's own faults are never taken for a dead link. */
export const tokenErrorKinds = new Map<string, ServiceErrorKind>([
  ['invalid_grant', 'invalid-grant'],
  ['access_denied', 'denied'],
  ['invalid_client', 'forbidden'],
  ['unauthorized_client', 'forbidden'],
  ['invalid_scope', 'forbidden'],
  ['server_error', 'unavailable'],
  ['temporarily_unavailable', 'unavailable'],
]);

/**
 * The implied `error` of a refusal of the token endpoint that names none; null if its status says enough. The form of the request is
 * always the same, so a 400 means that the grant is no longer valid; a 401 or 403 is about the bot, not about a person's token.
 */
export function impliedError(status: number): string | null {
  if (status === 400) return 'invalid_grant';
  if (status === 401 || status === 403) return 'invalid_client';
  return isRefusal(status) ? 'invalid_request' : null;
}

/** Whether a status is a permanent refusal, not a request to retry later. */
export function isRefusal(status: number): boolean {
  const kind = kindOf(status);
  return status >= 400 && kind !== 'rate-limited' && kind !== 'unavailable';
}

/** Values of `error` by RFC 6749, 4.1.2.1 and 5.2: the interface shows none. Any other is quoted. */
export function describeOAuthError(error: string, serviceName: string): string {
  switch (error) {
    case 'access_denied':
      return `Access was not granted at ${serviceName}. Nothing was linked.`;
    case 'server_error':
      return `Something went wrong at ${serviceName}. Please try again in a few minutes.`;
    case 'temporarily_unavailable':
      return `There is too much going on at ${serviceName}. Please try again in a few minutes.`;
    case 'invalid_grant':
      return `What was granted at ${serviceName} has run out before it could be used. Please link again.`;
    case 'invalid_scope':
      return `The scopes this bot asks for are not taken by ${serviceName}. An admin of this bot can change them.`;
    case 'invalid_client':
    case 'unauthorized_client':
      return `This bot is not accepted by ${serviceName}. An admin of this bot can check how it is registered there.`;
    case 'invalid_request':
    case 'unsupported_response_type':
    case 'unsupported_grant_type':
      return `The way this bot asks for access is not taken by ${serviceName}. Please tell an admin of this bot.`;
    case 'state_mismatch':
      return 'This answer does not belong to a link that was started here. Please start again from Slack.';
    case 'unreadable_callback':
      return `The answer from ${serviceName} could not be understood. Please start again from Slack.`;
    default:
      return `Linking was refused by ${serviceName}, with ${quoted(error)}. Please start again from Slack.`;
  }
}

/** A word from outside in quotation marks, fit to be shown and logged. */
export function quoted(word: string): string {
  return `“${printable(word)}”`;
}

/** A word from outside, fit to be shown and logged. */
export function printable(word: string): string {
  return word.replace(/[^\x20-\x7e]|["<>&]/g, '').slice(0, 60);
}
