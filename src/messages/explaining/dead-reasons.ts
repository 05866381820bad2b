/** Why an event is a dead letter where Slack has no part in it; every other reason is Slack's own word for an error. */
export const ownFaults = {
  /** It, or the subscription it came for, is not what it should be. */
  unreadable: 'unreadable',
  /** No message could be made of it. */
  unrenderable: 'unrenderable',
} as const;

export type OwnFault = (typeof ownFaults)[keyof typeof ownFaults];

/** Whether a dead letter's reason is this bot's fault and not Slack's refusal. */
export function isOwnFault(reason: string): boolean {
  return reason === ownFaults.unreadable || reason === ownFaults.unrenderable;
}
