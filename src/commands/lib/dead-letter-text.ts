import type { Notification } from '../../core/model/notification.ts';
import type { DeadLetter } from '../../store/tables/dead-letters.ts';

/** One line about a dead letter. Nothing in it was written by a person, so there is no e-mail and no name in it. */
export function lineOf(letter: DeadLetter): string {
  return [
    letter.seq,
    letter.receivedAt.toISOString(),
    `${letter.teamId}/${letter.channelId}`,
    letter.notificationId,
    letter.error,
    letter.notification === null ? 'details forgotten' : whatOf(letter.notification),
  ]
    .map(oneLine)
    .join('  ');
}

/** All that is known of a dead letter. */
export function pageOf(letter: DeadLetter): string {
  const { seq, receivedAt, enterpriseId, teamId, channelId, subscriptionId, notificationId, error } = letter;
  const facts = {
    id: seq,
    received: receivedAt.toISOString(),
    organisation: enterpriseId ?? 'none',
    workspace: teamId,
    channel: channelId,
    subscription: subscriptionId,
    'notification id': notificationId,
    'Slack said': error,
  };
  const lines = Object.entries(facts).map(([name, value]) => `${name}: ${oneLine(value)}`);
  return [...lines, `notification: ${printable(JSON.stringify(letter.notification, null, 2))}`].join('\n');
}

/** What happened, in the service's words. */
function whatOf({ eventType, itemType, resourceType, projectId, sessionId }: Notification): string {
  const where = projectId === null ? sessionId && `session ${sessionId}` : `project ${projectId}`;
  return `${eventType} ${itemType ?? resourceType}${where === null ? '' : ` in ${where}`}`.slice(0, 120);
}

function oneLine(text: string): string {
  return printable(text.replaceAll('\n', ' '));
}

/** Without what moves the cursor of a terminal or turns its text around, but for the line breaks of JSON. */
function printable(text: string): string {
  return text.replace(/(?!\n)\p{C}/gu, '\ufffd');
}
