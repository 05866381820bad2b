/** Slack stores the metadata with the message. Every app that can read the channel sees it, so it contains only an opaque key. */
const eventType = 'plancast_post';

/** Returns the metadata to post with a message so that it can be found later. */
export function metadataOf(key: string): { event_type: string; event_payload: { key: string } } {
  return { event_type: eventType, event_payload: { key } };
}

/** Whether a Slack message has the given key in its metadata. */
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
