/** Why an event can be made to wait, to be posted in a summary later. */
export type HeldReason = 'muted' | 'paused' | 'digest';
