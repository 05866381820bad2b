/** Why an event is held, to be posted in a summary later. */
export type HeldReason = 'muted' | 'paused' | 'digest';
