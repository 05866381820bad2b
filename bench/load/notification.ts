/** A callback address and what the service would send there. */
export type Target = {
  readonly token: string;
  readonly channelId: string;
  /** The id of the remote subscription. */
  readonly recordId: number;
  /** Three groups joined by hyphens. */
  readonly projectId: string;
};

/** What one run of notifications has in common, so that its rows are distinct from those of others. */
export type Series = { readonly mark: string };

/** The actors: few enough to be known to the bot soon, as the members of a team are. */
const people = 20;
const digits = 12;

/** The Id of the notification of that number, a GUID. @param number below 10^12 */
export function notificationId({ mark }: Series, number: number): string {
  return `${mark}-0000-4000-8000-${String(number).padStart(digits, '0')}`;
}

/** The number in an Id that `notificationId` made; null where it is of another series. */
export function numberOf({ mark }: Series, id: string): number | null {
  return id.startsWith(`${mark}-`) ? Number(id.slice(-digits)) : null;
}

/**
 * A notification as the service interface shows it: a file of its own in a comprehensive project for each number, and its length the
 * same for every number.
 */
export function notificationBody(target: Target, series: Series, number: number): string {
  const file = String(number).padStart(digits, '0');
  const person = String(number % people).padStart(2, '0');
  return (
    `{"Id":"${notificationId(series, number)}","SubscriptionId":${target.recordId},"Source":2,` +
    `"Resource":"/projects/${target.projectId}/items/${file}","Timestamp":"2026-01-01T08:00:00.1230000+00:00",` +
    `"ExtraInformation":{"ResourceType":"ProjectItems","User":"person${person}@example.com","EventType":"Create",` +
    `"IdPath":"/root/level-1/${file}","Path":"/Plans/Level 1/plan-${file}.pdf","ItemType":"File","Name":"plan-${file}.pdf"}}`
  );
}

/** A whole request that sends `body` to a callback address. */
export function requestText(token: string, body: string, headers = ''): string {
  return (
    `POST /notifications/${token} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n${headers}` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
