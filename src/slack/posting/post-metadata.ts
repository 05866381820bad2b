/** Slack keeps it with the message; apps that may read the channel can see it, so there is nothing in it but an opaque key. */
const eventType = 'plancast_post';

/** What goes along with a message so that it can be found again. */
export function metadataOf(key: string): { event_type: string; event_payload: { key: string } } {
  return { event_type: eventType, event_payload: { key } };
}

/** Whether a message of Slack's carries a key. */
export function hasKey(message: { readonly metadata?: unknown }, key: string): boolean {
  const { metadata } = message;
  if (typeof metadata !== 'object' || metadata === null) return false;
  const { event_type: type, event_payload: payload } = metadata as Record<string, unknown>;
  return (
    type === eventType &&
    typeof payload === 'object' &&
    payload !== null &&
    'key' in payload &&
    payload.key === key
  );
}
