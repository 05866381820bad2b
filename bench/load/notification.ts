/** A callback address and the project and record the service would send from. */
export type Target = {
  readonly token: string;
  readonly channelId: string;
  /** The id of the remote subscription. */
  readonly recordId: number;
  /** Three groups joined by hyphens. */
  readonly projectId: string;
};

/** Identifies one run of notifications, so that its rows differ from those of others. */
export type Series = { readonly mark: string };

/**
 * Number of actors of a series: few enough that the bot soon knows them all, like the members of a team. A prime, so that a channel gets the
 * changes of different people one after the other: those of one person would be edited into one message, and Slack takes 50 edits a minute.
 */
const people = 19;
const digits = 12;

/**
 * Returns the Id of a notification, a GUID.
 * @param number below 10^12
 */
export function notificationId({ mark }: Series, number: number): string {
  return `${mark}-0000-4000-8000-${String(number).padStart(digits, '0')}`;
}

/** Returns the number in an Id made by `notificationId`; null if it is from another series. */
export function numberOf({ mark }: Series, id: string): number | null {
  return id.startsWith(`${mark}-`) ? Number(id.slice(-digits)) : null;
}

/**
 * Returns a notification of now as the service interface shows it: each number is a different file in a comprehensive project, and all have
 * the same length.
 */
export function notificationBody(
  target: Target,
  series: Series,
  number: number,
  eventType: 'Create' | 'Delete' = 'Create',
): string {
  const file = String(number).padStart(digits, '0');
  const person = `${String(number % people).padStart(2, '0')}-${series.mark}`;
  return (
    `{"Id":"${notificationId(series, number)}","SubscriptionId":${target.recordId},"Source":2,` +
    `"Resource":"/projects/${target.projectId}/items/${file}","Timestamp":"${new Date().toISOString()}",` +
    `"ExtraInformation":{"ResourceType":"ProjectItems","User":"person${person}@example.com","EventType":"${eventType}",` +
    `"IdPath":"/root/level-1/${file}","Path":"/Plans/Level 1/plan-${file}.pdf","ItemType":"File","Name":"plan-${file}.pdf"}}`
  );
}

/** Returns a whole request that sends `body` to a callback address. */
export function requestText(token: string, body: string, headers = ''): string {
  return (
    `POST /notifications/${token} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n${headers}` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
