import type { Notification } from '../../core/model/notification.ts';
import type { DeadLetter } from '../../store/tables/dead-letters.ts';

/** Formats a dead letter as one line without text written by people: no email addresses, no names. */
export function lineOf(letter: DeadLetter): string {
  return [
    letter.seq,
    letter.receivedAt.toISOString(),
    `${letter.teamId}/${letter.channelId}`,
    letter.notificationId,
    letter.error,
    letter.notification === null ? 'details deleted' : whatOf(letter.notification),
  ]
    .map(oneLine)
    .join('  ');
}

/** Formats everything stored about a dead letter. */
export function pageOf(letter: DeadLetter): string {
  const { seq, receivedAt, enterpriseId, teamId, channelId, subscriptionId, notificationId, error } = letter;
  const facts = {
    id: seq,
    received: receivedAt.toISOString(),
    organization: enterpriseId ?? 'none',
    workspace: teamId,
    channel: channelId,
    subscription: subscriptionId,
    'notification id': notificationId,
    'Slack said': error,
  };
  const lines = Object.entries(facts).map(([name, value]) => `${name}: ${oneLine(value)}`);
  return [...lines, `notification: ${printable(JSON.stringify(letter.notification, null, 2))}`].join('\n');
}

/** Describes the event in the service's terms. */
function whatOf({ eventType, itemType, resourceType, projectId, sessionId }: Notification): string {
  const where = projectId === null ? sessionId && `session ${sessionId}` : `project ${projectId}`;
  return `${eventType} ${itemType ?? resourceType}${where === null ? '' : ` in ${where}`}`.slice(0, 120);
}

function oneLine(text: string): string {
  return printable(text.replaceAll('\n', ' '));
}

/** Replaces control and bidi characters that could manipulate a terminal; keeps the line breaks of JSON. */
function printable(text: string): string {
  return text.replace(/(?!\n)\p{C}/gu, '\ufffd');
}
