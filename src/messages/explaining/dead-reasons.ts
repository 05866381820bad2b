/** Reasons for a dead letter that come from this bot; every other reason is an error code of Slack. */
export const ownFaults = {
  /** The event or its subscription could not be read from the database. */
  unreadable: 'unreadable',
  /** No message could be made of it. */
  unrenderable: 'unrenderable',
} as const;

export type OwnFault = (typeof ownFaults)[keyof typeof ownFaults];

/** Whether a dead letter's reason comes from this bot rather than from Slack. */
export function isOwnFault(reason: string): boolean {
  return reason === ownFaults.unreadable || reason === ownFaults.unrenderable;
}
